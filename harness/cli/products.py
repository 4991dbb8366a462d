"""The product that a command is about."""

from harness.product import Product, load
from harness.runner.refusal import CannotRun


def product_of(name: str) -> Product:
    """The product of that id. Raises CannotRun where there is none."""
    try:
        return load(name)
    except LookupError as error:
        raise CannotRun(str(error.args[0])) from error


def bundled(product: Product) -> tuple[str, ...]:
    """The directories of the product's own features."""
    return tuple(map(str, product.features))
