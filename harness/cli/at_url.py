"""The commands that look at a server by somebody else: `run` judges it, `doctor` examines it before."""

from dataclasses import replace
from typing import Annotated

import typer

from harness.cli import options as opt
from harness.cli.asking import asked_of, given_of
from harness.cli.choices import DEFAULT_OUT


def run(
    url: opt.Urls = None,
    command: opt.Command = None,
    api_url: opt.ApiUrl = None,
    control_url: opt.ControlUrl = None,
    control_secret_file: opt.ControlSecretFile = None,
    api_port: opt.ApiPort = None,
    api_host: opt.ApiHost = None,
    api_public_url: opt.ApiPublicUrl = None,
    header: opt.Headers = None,
    header_env: opt.HeaderVariables = None,
    ca_file: opt.CaFile = None,
    ready_timeout: opt.ReadyTimeout = 60,
    read_only: opt.ReadOnly = False,
    token_file: opt.TokenFile = None,
    token_env: opt.TokenVariable = None,
    product: opt.Product = "kadu",
    features: opt.Features = None,
    rule: opt.Rules = None,
    scenario: opt.Scenarios = None,
    tag: opt.Tags = None,
    not_tag: opt.NotTags = None,
    era: opt.Eras = None,
    shard: opt.Shard = None,
    order: opt.Order = "written",
    baseline: opt.BaselineFile = None,
    update_baseline: opt.UpdateBaseline = False,
    allow_untested: opt.AllowUntested = False,
    keep: opt.Keep = False,
    workers: opt.Workers = None,
    seed: opt.Seed = 1,
    timeout: opt.Timeout = 10,
    time: opt.Time = "auto",
    person: opt.Person = None,
    person_command: opt.PersonCommand = None,
    max_wait: opt.MaxWait = 0,
    out: opt.Out = DEFAULT_OUT,
    _config: opt.ConfigFile = None,
) -> None:
    """Judge a server that runs at --url, or that --command starts."""
    from harness.cli.choices import Accepting
    from harness.cli.judging import judge_server

    several = 1 if read_only and workers is None else workers
    asked = asked_of(product, features, rule, scenario, era, keep, several, seed, timeout, out)
    asked = replace(asked, tags=tuple(tag or ()), not_tags=tuple(not_tag or ()), shard=shard, order=order)
    given = given_of(
        url,
        command,
        api_url,
        control_url,
        control_secret_file,
        api_port,
        api_host,
        api_public_url,
        header,
        header_env,
        ca_file,
        ready_timeout,
        time,
        max_wait,
    )
    given = replace(
        given,
        read_only=read_only,
        token_file=token_file,
        token_variable=token_env,
        person=person,
        person_command=person_command,
    )
    raise typer.Exit(judge_server(asked, given, Accepting(baseline, update_baseline, allow_untested)))


def doctor(
    url: opt.Urls = None,
    command: opt.Command = None,
    api_url: opt.ApiUrl = None,
    control_url: opt.ControlUrl = None,
    control_secret_file: opt.ControlSecretFile = None,
    api_port: opt.ApiPort = None,
    api_host: opt.ApiHost = None,
    api_public_url: opt.ApiPublicUrl = None,
    header: opt.Headers = None,
    header_env: opt.HeaderVariables = None,
    ca_file: opt.CaFile = None,
    ready_timeout: opt.ReadyTimeout = 60,
    product: opt.Product = "kadu",
    features: opt.Features = None,
    era: opt.Eras = None,
    timeout: opt.Timeout = 10,
    time: opt.Time = "auto",
    max_wait: opt.MaxWait = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Tell it to a program.")] = False,
) -> None:
    """Look at a server before it is judged: what can be tested, what not, and what to do about it.

    Exit 0 where judging it makes sense; 2 where nothing answers, no MCP is spoken or our mock API is never asked.
    """
    from harness.cli.doctoring import diagnose

    asked = asked_of(product, features, None, None, era, False, 1, 1, timeout, DEFAULT_OUT)
    given = given_of(
        url,
        command,
        api_url,
        control_url,
        control_secret_file,
        api_port,
        api_host,
        api_public_url,
        header,
        header_env,
        ca_file,
        ready_timeout,
        time,
        max_wait,
    )
    raise typer.Exit(diagnose(asked, given, as_json=as_json))
