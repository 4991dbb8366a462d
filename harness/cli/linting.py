"""`lint`: how features are worded, without a server and without looking a step up."""

import sys
from collections.abc import Sequence

from harness.product import Product
from harness.runner.refusal import CannotRun
from harness.wording import lint
from reports.visible import visible


def lint_features(product: Product, paths: Sequence[str]) -> int:
    """Write what there is to reword, a complaint a line, in the features at `paths` or, without any, in the bundled ones.

    Returns 0 where nothing is, else 1. Raises CannotRun for a path that is not there or cannot be read.
    """
    try:
        complaints = lint(paths or product.features)
    except FileNotFoundError as error:
        raise CannotRun(str(error)) from error
    except OSError as error:
        raise CannotRun(f"{error.filename} cannot be read: {error.strerror}.") from error
    sys.stdout.writelines(f"{visible(str(complaint))}\n" for complaint in complaints)
    return 1 if complaints else 0
