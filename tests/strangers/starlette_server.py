"""Runs the plain server; KADU_API_URL, HOST, PORT and STATE_SECRET (for replicas) say how."""

import os
import sys

import uvicorn
from plain.app import build_from_environment


def main() -> int:
    """Serve until told to stop; 2 where the environment does not say for which API."""
    if not os.environ.get("KADU_API_URL"):
        sys.stderr.write(
            "KADU_API_URL is not set: it is the base URL of the API, such as http://127.0.0.1:4101\n"
        )
        return 2
    host, port = os.environ.get("HOST", "127.0.0.1"), int(os.environ.get("PORT", "8000"))
    uvicorn.run(build_from_environment(), host=host, port=port, log_level="warning", access_log=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
