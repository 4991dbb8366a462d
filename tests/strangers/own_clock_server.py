"""Runs the server with stores and a clock of its own; KADU_API_URL, HOST and PORT say where."""

import os
import sys

from own_clock.server import serve


def main() -> int:
    """Serve until told to stop; 2 where the environment does not say for which API."""
    api_url = os.environ.get("KADU_API_URL")
    if not api_url:
        sys.stderr.write(
            "KADU_API_URL is not set: it is the base URL of the API, such as http://127.0.0.1:4101\n"
        )
        return 2
    serve(api_url, os.environ.get("HOST", "127.0.0.1"), int(os.environ.get("PORT", "8000")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
