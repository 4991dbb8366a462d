"""Report files, written whole or not at all."""

import os
import secrets
from pathlib import Path


def write(path: Path, content: bytes) -> Path:
    """Put `content` at `path`, and give the path back. Nobody ever reads half a file. Raises OSError."""
    passing = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    try:
        passing.write_bytes(content)
        os.replace(passing, path)
    finally:
        passing.unlink(missing_ok=True)
    return path
