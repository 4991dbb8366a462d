"""A conforming MCP server for Kadu that shares no code with the rest of the project."""
