"""Steps for features that need no server."""
