"""Step definitions: each one to three lines, one act of an actor or one check."""

from harness.steps import (
    parameter_types as parameter_types,
)  # the types have to be known before any step is defined
