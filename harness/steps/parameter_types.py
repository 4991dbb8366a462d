"""The parameter types of step texts, with the words a feature may use."""

import json

from harness.expressions import define_parameter_type

define_parameter_type(name="tool", regexp=r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+")
define_parameter_type(name="name", regexp=r"[A-Za-z_][A-Za-z0-9_-]*")
define_parameter_type(
    name="caller",
    regexp=r"the assistant in the other organization|the assistant|the colleague's assistant"
    r"|the person's other assistant|a stranger's assistant|an assistant of nobody",
)
define_parameter_type(
    name="duration",
    regexp=r"\d+ (?:days?|hours?|minutes?|seconds?)(?: and \d+ (?:hours?|minutes?|seconds?))?",
    transform=lambda text: seconds(text),
)
define_parameter_type(name="resource", regexp=r"[a-z_]+(?:/[A-Za-z0-9{}-]+(?:/[a-z_]+)?)?")
define_parameter_type(name="address", regexp=r"[A-Za-z][A-Za-z0-9+-]*:\S*")
define_parameter_type(name="scope", regexp=r"[a-z_]+/[a-z_]+")
define_parameter_type(name="permission", regexp=r"[a-z_]+(?:\.[a-z_]+)+")
define_parameter_type(name="method", regexp=r"[a-z]+(?:/[a-z_]+)+")
define_parameter_type(name="json", regexp=r"\"[^\"]*\"|-?\d+", transform=lambda text: json.loads(text))
define_parameter_type(name="moment", regexp=r"\d{4}-\d\d-\d\dT[0-9:.]+Z")
define_parameter_type(name="value", regexp=r"[A-Za-z0-9:/-]+")
define_parameter_type(name="phrase", regexp=r"[A-Za-z][A-Za-z0-9', -]*")
define_parameter_type(name="words", regexp=r"[A-Za-z0-9][A-Za-z0-9' -]*")

_UNITS = {"day": 86400, "hour": 3600, "minute": 60, "second": 1}


def seconds(text: str) -> int:
    """`4 minutes and 59 seconds` as seconds."""
    words = text.split()
    numbers = [int(word) for word in words if word.isdigit()]
    units = [word.rstrip("s") for word in words if word.rstrip("s") in _UNITS]
    return sum(number * _UNITS[unit] for number, unit in zip(numbers, units, strict=True))
