"""Step definitions, imported from a package."""

import importlib
import pkgutil
import traceback
from types import ModuleType
from typing import Final

from harness.collection.problems import CollectionFailed, Problem
from harness.expressions import REGISTRY, StepDefinitionError, StepRegistry

STEPS: Final = "harness.steps"
PARAMETER_TYPES: Final = "parameter_types"


def load_steps(package: str = STEPS) -> StepRegistry:
    """Import every module of the package (its parameter types first) and return the steps they define.

    Raises CollectionFailed when a module cannot be imported or a step cannot be defined.
    """
    root = _import(package)
    if hasattr(root, "__path__"):
        modules = sorted(found.name for found in pkgutil.walk_packages(root.__path__, f"{package}."))
        for name in sorted(modules, key=lambda name: name.rpartition(".")[2] != PARAMETER_TYPES):
            _import(name)
    return REGISTRY.of(package)


def _import(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except StepDefinitionError as error:
        path, line, message = _split(str(error))
        raise CollectionFailed([Problem(path or name, line, message)]) from error
    except (ImportError, SyntaxError, NameError, AttributeError, TypeError, ValueError) as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        message = f"{name} cannot be imported: {type(error).__name__}: {error}"
        raise CollectionFailed([Problem(frame.filename, frame.lineno or 1, message)]) from error


def _split(message: str) -> tuple[str | None, int, str]:
    """A message that starts with `file:line: `, taken apart."""
    path, line, rest = [*message.split(":", 2), "", ""][:3]
    return (path, int(line), rest.strip()) if line.isdigit() else (None, 1, message)
