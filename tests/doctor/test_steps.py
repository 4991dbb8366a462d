"""What the doctor knows of features are steps that there are."""

import pytest

from harness.collection.cases import TIME_PASSES
from harness.collection.loading import load_steps
from harness.controls.choosing import TIME_IS_SET
from harness.doctor.confirming import CANNOT_REGISTER, CANNOT_STORE, IS_AN_ERROR, SAYS_YES, WAITS
from harness.doctor.connection import OFFERED_TOOLS


@pytest.mark.parametrize(
    "text",
    [TIME_PASSES, TIME_IS_SET, CANNOT_REGISTER, CANNOT_STORE, IS_AN_ERROR, *SAYS_YES, *WAITS, OFFERED_TOOLS],
)
def test_the_step_is_defined(text: str) -> None:
    assert text in {definition.text for definition in load_steps()}
