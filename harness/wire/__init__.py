"""MCP over streamable HTTP, both eras, without a socket: requests are built, answers are read."""
