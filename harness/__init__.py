"""Judges an MCP server: feature, steps, actors, wire, exchange, check, finding, verdict, run record."""

__version__ = "0.1.0"
