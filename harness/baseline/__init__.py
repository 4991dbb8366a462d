"""The baseline: what of a server is accepted for now, each entry with its reason (docs/pipelines.md)."""

from harness.baseline.model import Accept, Entry
from harness.baseline.reading import read
from harness.baseline.ruling import Ruling, rule_on
from harness.baseline.updating import add

__all__ = ["Accept", "Entry", "Ruling", "add", "read", "rule_on"]
