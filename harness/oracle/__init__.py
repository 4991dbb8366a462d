"""The oracle: is a server's message valid for its revision of the protocol? (MCP-18)"""

from harness.oracle.judging import VIOLATIONS, Oracle, judge

__all__ = ["VIOLATIONS", "Oracle", "judge"]
