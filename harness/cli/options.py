"""Options of `run` for pipelines: what each takes, and what is said of it."""

from pathlib import Path
from typing import Annotated

import typer

from harness.cli.config import settle

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
