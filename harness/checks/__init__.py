"""Checks: pure functions from evidence to findings. They raise RuleBroken with what was expected and what came."""
