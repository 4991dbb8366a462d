"""The commands and their options. What a command needs is imported when it runs: `--help` must be quick."""

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Final

import typer
from typer.exceptions import TyperException

from harness import __version__
from harness.cli import options as opt
from harness.cli.choices import Asked

NAME: Final = "kadu-conformance"
WRONG_USAGE: Final = 2
INTERRUPTED: Final = 130
DEFAULT_OUT: Final = Path("kadu-conformance-report")
DEFAULT_API_PORT: Final = 8766
MOST_WORKERS: Final = 4

app = typer.Typer(
    name=NAME,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

Product = Annotated[str, typer.Option(help="The product whose rules are judged.")]
Features = Annotated[
    list[Path] | None,
    typer.Option(
        help="Judge by the features below DIR instead of the bundled ones; may be repeated.", metavar="DIR"
    ),
]
Rules = Annotated[
    list[str] | None,
    typer.Option(
        "--rule", help="Judge this rule, or all whose ids start so (KADU-CNF); may be repeated.", metavar="ID"
    ),
]
Scenarios = Annotated[
    list[str] | None,
    typer.Option("--scenario", help="Run scenarios with TEXT in their id; may be repeated.", metavar="TEXT"),
]
Eras = Annotated[
    list[str] | None,
    typer.Option(
        "--era",
        help="Ask for this protocol era, 2025 or 2026; may be repeated (default: both).",
        metavar="ERA",
    ),
]
Keep = Annotated[
    bool,
    typer.Option("--keep/--no-keep", help="Leave the tenants in the mock API, and print every exchange."),
]
Workers = Annotated[
    int | None,
    typer.Option(
        help=f"Run scenarios in this many processes (default: one for each processor, at most {MOST_WORKERS}; one with --read-only).",
        min=1,
        max=64,
    ),
]
Seed = Annotated[int, typer.Option(help="The same seed makes the same tenants.")]
Timeout = Annotated[float, typer.Option(help="Seconds that one answer may take.", min=0.1, max=600)]
Out = Annotated[Path, typer.Option(help="Where the record and the reports go.", metavar="DIR")]


def workers_by_default() -> int:
    """How many processes run scenarios unless told otherwise. More would wait for server and mock, and cost their start."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(processors, MOST_WORKERS)


def _print_version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"{NAME} {__version__}\n")
        raise typer.Exit


@app.callback()
def options(
    _version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """Proves that an MCP server for Kadu keeps every documented rule.

    Exit codes: 0 every asked rule was tested and kept; 1 a rule is broken; 2 wrong usage, or an error of our own;
    3 nothing broken, but rules untested.
    """


@app.command()
def run(
    url: Annotated[
        list[str] | None,
        typer.Option(help="The server under test; may be repeated for its replicas.", metavar="URL"),
    ] = None,
    command: Annotated[
        str | None,
        typer.Option(
            help="Start the server under test so, without a shell; {port} is a free port, also in PORT.",
            metavar="COMMAND",
        ),
    ] = None,
    api_url: Annotated[
        str | None,
        typer.Option(
            help="A mock API that runs already; with --control-url and --control-secret-file.", metavar="URL"
        ),
    ] = None,
    control_url: Annotated[
        str | None, typer.Option(help="The control plane of that mock API.", metavar="URL")
    ] = None,
    control_secret_file: Annotated[
        Path | None, typer.Option(help="The file with the secret of that control plane.", metavar="FILE")
    ] = None,
    api_port: Annotated[
        int | None,
        typer.Option(
            help=f"The port of the mock API we start (default: {DEFAULT_API_PORT} with --url, any free one with --command).",
            min=1,
            max=65535,
        ),
    ] = None,
    api_host: opt.ApiHost = None,
    api_public_url: opt.ApiPublicUrl = None,
    header: opt.Headers = None,
    header_env: opt.HeaderVariables = None,
    ca_file: opt.CaFile = None,
    ready_timeout: Annotated[
        float, typer.Option(help="Seconds within which a server we start must answer.", min=0.1, max=3600)
    ] = 60,
    read_only: opt.ReadOnly = False,
    token_file: opt.TokenFile = None,
    token_env: opt.TokenVariable = None,
    product: Product = "kadu",
    features: Features = None,
    rule: Rules = None,
    scenario: Scenarios = None,
    tag: opt.Tags = None,
    not_tag: opt.NotTags = None,
    era: Eras = None,
    shard: opt.Shard = None,
    order: opt.Order = "written",
    baseline: opt.BaselineFile = None,
    update_baseline: opt.UpdateBaseline = False,
    allow_untested: opt.AllowUntested = False,
    keep: Keep = False,
    workers: Workers = None,
    seed: Seed = 1,
    timeout: Timeout = 10,
    time: opt.Time = "auto",
    person: opt.Person = None,
    person_command: opt.PersonCommand = None,
    max_wait: opt.MaxWait = 0,
    out: Out = DEFAULT_OUT,
    _config: opt.ConfigFile = None,
) -> None:
    """Judge a server that runs at --url, or that --command starts."""
    from harness.cli.choices import Accepting, Given
    from harness.cli.judging import judge_server

    several = 1 if read_only and workers is None else workers
    asked = _asked(product, features, rule, scenario, era, keep, several, seed, timeout, out)
    asked = replace(asked, tags=tuple(tag or ()), not_tags=tuple(not_tag or ()), shard=shard, order=order)
    given = Given(
        urls=tuple(url or ()),
        command=command,
        api_url=api_url,
        control_url=control_url,
        control_secret_file=control_secret_file,
        api_port=api_port,
        ready_timeout=ready_timeout,
        api_host=api_host,
        api_public_url=api_public_url,
        headers=tuple(header or ()),
        header_variables=tuple(header_env or ()),
        ca_file=ca_file,
        time=time,
        max_wait=max_wait,
        read_only=read_only,
        token_file=token_file,
        token_variable=token_env,
        person=person,
        person_command=person_command,
    )
    raise typer.Exit(judge_server(asked, given, Accepting(baseline, update_baseline, allow_untested)))


@app.command()
def doctor(
    url: Annotated[
        list[str] | None, typer.Option(help="The server to look at.", metavar="URL", show_default=False)
    ] = None,
    command: Annotated[
        str | None, typer.Option(help="Start the server so, as `run` does.", metavar="COMMAND")
    ] = None,
    api_url: Annotated[str | None, typer.Option(help="As for `run`.", metavar="URL")] = None,
    control_url: Annotated[str | None, typer.Option(help="As for `run`.", metavar="URL")] = None,
    control_secret_file: Annotated[Path | None, typer.Option(help="As for `run`.", metavar="FILE")] = None,
    api_port: Annotated[int | None, typer.Option(help="As for `run`.", min=1, max=65535)] = None,
    api_host: opt.ApiHost = None,
    api_public_url: opt.ApiPublicUrl = None,
    header: opt.Headers = None,
    header_env: opt.HeaderVariables = None,
    ca_file: opt.CaFile = None,
    ready_timeout: Annotated[
        float, typer.Option(help="Seconds within which a server we start must answer.", min=0.1, max=3600)
    ] = 60,
    product: Product = "kadu",
    features: Features = None,
    era: Eras = None,
    timeout: Timeout = 10,
    time: opt.Time = "auto",
    max_wait: opt.MaxWait = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Tell it to a program.")] = False,
) -> None:
    """Look at a server before it is judged: what can be tested, what not, and what to do about it.

    Exit 0 where judging it makes sense; 2 where nothing answers, no MCP is spoken or our mock API is never asked.
    """
    from harness.cli.choices import Given
    from harness.cli.doctoring import diagnose

    asked = _asked(product, features, None, None, era, False, 1, 1, timeout, DEFAULT_OUT)
    given = Given(
        urls=tuple(url or ()),
        command=command,
        api_url=api_url,
        control_url=control_url,
        control_secret_file=control_secret_file,
        api_port=api_port,
        ready_timeout=ready_timeout,
        api_host=api_host,
        api_public_url=api_public_url,
        headers=tuple(header or ()),
        header_variables=tuple(header_env or ()),
        ca_file=ca_file,
        time=time,
        max_wait=max_wait,
    )
    raise typer.Exit(diagnose(asked, given, as_json=as_json))


@app.command()
def prove(
    product: Product = "kadu",
    features: Features = None,
    rule: Rules = None,
    scenario: Scenarios = None,
    era: Eras = None,
    keep: Keep = False,
    workers: Workers = None,
    seed: Seed = 1,
    timeout: Timeout = 10,
    order: opt.Order = "written",
    out: Out = DEFAULT_OUT,
) -> None:
    """Judge the bundled reference server by everything: it must keep every rule."""
    from harness.cli.judging import judge_reference

    asked = _asked(product, features, rule, scenario, era, keep, workers, seed, timeout, out)
    raise typer.Exit(judge_reference(replace(asked, order=order)))


@app.command()
def mutants(
    product: Product = "kadu",
    features: Features = None,
    rule: Rules = None,
    mutant: Annotated[
        list[str] | None,
        typer.Option(help="Judge the mutant of this name alone; may be repeated.", metavar="NAME"),
    ] = None,
    full: Annotated[
        bool,
        typer.Option("--full", help="Judge each mutant by every scenario, not by those of its rule alone."),
    ] = False,
    mock: Annotated[
        bool,
        typer.Option("--mock", help="Judge mock APIs that break one rule each, beside a correct server."),
    ] = False,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume", help="Go on with the mutants.json in --out: what stands there is not judged again."
        ),
    ] = False,
    seed: Seed = 1,
    timeout: Timeout = 10,
    out: Out = DEFAULT_OUT,
) -> None:
    """Judge servers (or, with --mock, mock APIs) that break one rule each: all have to be caught.

    Exit 1 when one survives, or when no mutant breaks an asked rule of level M or D. What was found is written to
    mutants.json and mutants.md; mutants of which the same was found count once as distinct.
    """
    from harness.cli.mutating import judge_mutants

    asked = _asked(product, features, rule, None, None, False, None if full else 1, seed, timeout, out)
    raise typer.Exit(judge_mutants(asked, tuple(mutant or ()), full=full, mock=mock, resume=resume))


@app.command()
def playground(
    port: Annotated[
        int, typer.Option(help="The port of the reference server; 0 for any.", min=0, max=65535)
    ] = 8765,
    api_port: Annotated[
        int, typer.Option(help="The port of the mock API; 0 for any.", min=0, max=65535)
    ] = DEFAULT_API_PORT,
    seed: Seed = 1,
    product: Product = "kadu",
) -> None:
    """Serve the mock API and the reference server with an organization to play with, until stopped."""
    from harness.cli.playing import play

    raise typer.Exit(play(product, port, api_port, seed))


@app.command()
def rules(
    product: Product = "kadu",
    features: Features = None,
    rule: Annotated[
        list[str] | None,
        typer.Option(
            help="Tell this rule in detail, or all whose ids start so (KADU-CNF); may be repeated.",
            metavar="ID",
        ),
    ] = None,
    format_: Annotated[
        str,
        typer.Option(
            "--format", help="text, json or markdown; the last two tell everything.", metavar="FORMAT"
        ),
    ] = "text",
) -> None:
    """List the rules: where each is written, what judges it, which mutants break it; and what is left out, and why."""
    from harness.cli.listing import list_rules

    raise typer.Exit(list_rules(product, _paths(features), tuple(rule or ()), format_))


@app.command()
def check(product: Product = "kadu", features: Features = None) -> None:
    """Check features and steps without a server: what is wrong with them, and which steps nothing uses."""
    from harness.cli.listing import check_features

    raise typer.Exit(check_features(product, _paths(features)))


@app.command()
def lint(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            help="Feature files, or directories of them (default: the bundled features).",
            metavar="PATH",
            show_default=False,
        ),
    ] = None,
    product: Product = "kadu",
) -> None:
    """Check how features are worded: titles that state facts, rules with their ids, steps in order. Exit 1 for complaints."""
    from harness.cli.linting import lint_features
    from harness.cli.products import product_of

    raise typer.Exit(lint_features(product_of(product), tuple(paths or ())))


@app.command()
def report(
    records: Annotated[
        list[str],
        typer.Argument(
            help="Run records; several are merged (`report merge A B` says the same). NAME=PATH names the server of one, to tell it from others.",
            metavar="RECORD",
        ),
    ],
    out: Out = DEFAULT_OUT,
    format_: Annotated[
        list[str] | None,
        typer.Option(
            "--format",
            help="Write these alone, of html, junit, md, json and messages; may be repeated.",
            metavar="FORMAT,...",
        ),
    ] = None,
) -> None:
    """Render a recorded run again, or merge the records of shards and matrices. The exit code is the run's own."""
    from harness.cli.reporting import report

    raise typer.Exit(report(records, out, tuple(format_ or ())))


def _paths(features: Sequence[Path] | None) -> tuple[str, ...]:
    return tuple(str(path) for path in features or ())


def _asked(
    product: str,
    features: Sequence[Path] | None,
    rule: Sequence[str] | None,
    scenario: Sequence[str] | None,
    era: Sequence[str] | None,
    keep: bool,
    workers: int | None,
    seed: int,
    timeout: float,
    out: Path,
) -> Asked:
    return Asked(
        product=product,
        features=_paths(features),
        rules=tuple(rule or ()),
        scenarios=tuple(scenario or ()),
        eras=tuple(era or ()),
        keep=keep,
        workers=workers_by_default() if workers is None else workers,
        seed=seed,
        timeout=timeout,
        out=out,
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and end the process with its exit code. Every user error is one sentence and code 2."""
    sys.exit(outcome(lambda: app(arguments, standalone_mode=False, prog_name=NAME)))


def outcome(command: Callable[[], object]) -> int:
    """The exit code of a command; what stands in its way is told on standard error."""
    try:
        code = command()
    except TyperException as error:
        return _refuse(error.format_message())
    except (typer.Abort, KeyboardInterrupt):
        code = INTERRUPTED
    except Exception as error:
        from harness.cli.refusals import sentence

        told = sentence(error)
        if told is None:
            raise
        return _refuse(told)
    if code == INTERRUPTED:
        sys.stderr.write(f"{NAME}: interrupted; the record ends where the run was stopped.\n")
    return code if isinstance(code, int) else 0


def _refuse(told: str) -> int:
    from reports.visible import visible

    sys.stderr.write(f"{NAME}: {visible(told.strip())}\n")
    return WRONG_USAGE


if __name__ == "__main__":
    main()
