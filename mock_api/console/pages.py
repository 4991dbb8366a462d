"""The pages of the console, from templates that escape by default."""

import hashlib
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from mock_api.console import words


@cache
def style() -> bytes:
    """The style sheet of all pages."""
    return files("mock_api.console").joinpath("console.css").read_bytes()


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("mock_api.console"),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(
        statuses=words.STATUSES,
        moment=words.moment,
        style_version=hashlib.sha256(style()).hexdigest()[:12],
    )
    return environment


def page(name: str, **data: Any) -> bytes:
    """The page of a template, UTF-8."""
    return _environment().get_template(f"{name}.html").render(data).encode()
