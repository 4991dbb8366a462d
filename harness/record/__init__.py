"""The run record (docs/run-record.md): written while a run goes on, free of secrets, and read back."""

from harness.record.reading import RunRecord, read
from harness.record.rollup import Outcome, RuleVerdict, counts, roll_up
from harness.record.writing import RecordWriter

__all__ = ["Outcome", "RecordWriter", "RuleVerdict", "RunRecord", "counts", "read", "roll_up"]
