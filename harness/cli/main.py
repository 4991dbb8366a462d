"""The commands and their options. What a command needs is imported when it runs: `--help` must be quick."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Annotated, Final

import typer
from typer.exceptions import TyperException

from harness import __version__
from harness.cli import options as opt
from harness.cli.asking import asked_of, paths
from harness.cli.at_url import doctor, run
from harness.cli.choices import DEFAULT_API_PORT, DEFAULT_OUT

NAME: Final = "kadu-conformance"
WRONG_USAGE: Final = 2
INTERRUPTED: Final = 130

app = typer.Typer(
    name=NAME,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


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


app.command()(run)
app.command()(doctor)


@app.command()
def prove(
    product: opt.Product = "kadu",
    features: opt.Features = None,
    rule: opt.Rules = None,
    scenario: opt.Scenarios = None,
    era: opt.Eras = None,
    keep: opt.Keep = False,
    workers: opt.Workers = None,
    seed: opt.Seed = 1,
    timeout: opt.Timeout = 10,
    order: opt.Order = "written",
    out: opt.Out = DEFAULT_OUT,
) -> None:
    """Judge the bundled reference server by everything: it must keep every rule."""
    from harness.cli.judging import judge_reference

    asked = asked_of(product, features, rule, scenario, era, keep, workers, seed, timeout, out)
    raise typer.Exit(judge_reference(replace(asked, order=order)))


@app.command()
def mutants(
    product: opt.Product = "kadu",
    features: opt.Features = None,
    rule: opt.Rules = None,
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
    seed: opt.Seed = 1,
    timeout: opt.Timeout = 10,
    out: opt.Out = DEFAULT_OUT,
) -> None:
    """Judge servers (or, with --mock, mock APIs) that break one rule each: all have to be caught.

    Exit 1 when one survives, or when no mutant breaks an asked rule of level M or D. What was found is written to
    mutants.json and mutants.md; mutants of which the same was found count once as distinct.
    """
    from harness.cli.mutating import judge_mutants

    asked = asked_of(product, features, rule, None, None, False, None if full else 1, seed, timeout, out)
    raise typer.Exit(judge_mutants(asked, tuple(mutant or ()), full=full, mock=mock, resume=resume))


@app.command()
def playground(
    port: Annotated[
        int, typer.Option(help="The port of the reference server; 0 for any.", min=0, max=65535)
    ] = 8765,
    api_port: Annotated[
        int, typer.Option(help="The port of the mock API; 0 for any.", min=0, max=65535)
    ] = DEFAULT_API_PORT,
    seed: opt.Seed = 1,
    product: opt.Product = "kadu",
) -> None:
    """Serve the mock API and the reference server with an organization to play with, until stopped."""
    from harness.cli.playing import play

    raise typer.Exit(play(product, port, api_port, seed))


@app.command()
def rules(
    product: opt.Product = "kadu",
    features: opt.Features = None,
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

    raise typer.Exit(list_rules(product, paths(features), tuple(rule or ()), format_))


@app.command()
def check(product: opt.Product = "kadu", features: opt.Features = None) -> None:
    """Check features and steps without a server: what is wrong with them, and which steps nothing uses."""
    from harness.cli.listing import check_features

    raise typer.Exit(check_features(product, paths(features)))


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
    product: opt.Product = "kadu",
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
    out: opt.Out = DEFAULT_OUT,
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
