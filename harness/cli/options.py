"""The options that commands have in common, or that would crowd their command: what each takes, and what is said of it."""

from pathlib import Path
from typing import Annotated

import typer

from harness.cli.choices import DEFAULT_API_PORT, MOST_WORKERS
from harness.cli.config import settle

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
Urls = Annotated[
    list[str] | None,
    typer.Option("--url", help="The server under test; may be repeated for its replicas.", metavar="URL"),
]
Command = Annotated[
    str | None,
    typer.Option(
        help="Start the server under test so, without a shell; {port} is a free port, also in PORT.",
        metavar="COMMAND",
    ),
]
ApiUrl = Annotated[
    str | None,
    typer.Option(
        help="A mock API that runs already; with --control-url and --control-secret-file.", metavar="URL"
    ),
]
ControlUrl = Annotated[str | None, typer.Option(help="The control plane of that mock API.", metavar="URL")]
ControlSecretFile = Annotated[
    Path | None,
    typer.Option(help="The file with the secret of that control plane.", metavar="FILE"),
]
ApiPort = Annotated[
    int | None,
    typer.Option(
        help=f"The port of the mock API we start (default: {DEFAULT_API_PORT} with --url, any free one with --command).",
        min=1,
        max=65535,
    ),
]
ReadyTimeout = Annotated[
    float, typer.Option(help="Seconds within which a server we start must answer.", min=0.1, max=3600)
]
Tags = Annotated[
    list[str] | None,
    typer.Option("--tag", help="Run scenarios that carry this tag; may be repeated.", metavar="TAG"),
]
NotTags = Annotated[
    list[str] | None,
    typer.Option(
        "--not-tag", help="Leave out scenarios that carry this tag; may be repeated.", metavar="TAG"
    ),
]
Shard = Annotated[
    str | None,
    typer.Option(
        help="Run the I-th of N parts: all of them together run every scenario once.", metavar="I/N"
    ),
]
Order = Annotated[
    str,
    typer.Option(
        help="Run scenarios as written, or shuffled: written, random, or random:SEED, the same order again.",
        metavar="ORDER",
    ),
]
BaselineFile = Annotated[
    Path | None,
    typer.Option(
        "--baseline", help="What is accepted for now, each entry with its reason (YAML).", metavar="FILE"
    ),
]
UpdateBaseline = Annotated[
    bool,
    typer.Option(
        "--update-baseline/--no-update-baseline",
        help="Add what is broken or untested to the baseline, with empty reasons for you to fill in.",
    ),
]
AllowUntested = Annotated[
    bool,
    typer.Option("--allow-untested/--no-allow-untested", help="Exit 0 instead of 3 where nothing is broken."),
]
ApiHost = Annotated[
    str | None,
    typer.Option(
        help="Where the mock API we start listens (default: loopback); 0.0.0.0 for containers.",
        metavar="HOST",
    ),
]
ApiPublicUrl = Annotated[
    str | None,
    typer.Option(
        help="Where server and people find the mock API, where that is not its own address; links lead there.",
        metavar="URL",
    ),
]
Headers = Annotated[
    list[str] | None,
    typer.Option(
        "--header",
        help="Send 'Name: value' with every request to the server under test; may be repeated; the value is a secret.",
        metavar="HEADER",
    ),
]
HeaderVariables = Annotated[
    list[str] | None,
    typer.Option(
        "--header-env",
        help="The same as 'Name: VARIABLE', the value taken from the environment; may be repeated.",
        metavar="HEADER",
    ),
]
CaFile = Annotated[
    Path | None,
    typer.Option(help="Trust these certificate authorities too (PEM).", metavar="FILE"),
]
Time = Annotated[
    str,
    typer.Option(
        help="How time is moved: auto (found by a probe), faketime (of a --command), real (see --max-wait), none.",
        metavar="CONTROL",
    ),
]
MaxWait = Annotated[
    float,
    typer.Option(help="Seconds that waits in real time may take together.", min=0, max=86400),
]
Person = Annotated[
    str | None,
    typer.Option(
        help="Who decides on a console that is not the mock's: `manual` (the link is printed, you decide).",
        metavar="manual",
    ),
]
PersonCommand = Annotated[
    str | None,
    typer.Option(
        help="A command that decides on such a console: JSON on its standard input and output, see docs/pipelines.md."
    ),
]
ReadOnly = Annotated[
    bool,
    typer.Option(
        "--read-only/--no-read-only",
        help="Judge a real system by reading alone: no mock, a token of your own, only scenarios tagged @read-only.",
    ),
]
TokenFile = Annotated[
    Path | None, typer.Option(help="With --read-only: the file that holds the token.", metavar="FILE")
]
TokenVariable = Annotated[
    str | None,
    typer.Option(
        "--token-env", help="With --read-only: the environment variable that holds the token.", metavar="NAME"
    ),
]
ConfigFile = Annotated[
    Path | None,
    typer.Option(
        "--config",
        help="Take options from this file (TOML) instead of kadu-conformance.toml or pyproject.toml here.",
        metavar="FILE",
        is_eager=True,
        callback=settle,
    ),
]
