"""The products the engine can serve: tables, one module each."""
