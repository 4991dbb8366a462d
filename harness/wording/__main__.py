"""`python -m harness.wording features`: one complaint a line; exit 0 clean, 1 complaints, 2 wrong usage."""

import sys
from collections.abc import Sequence

from harness.wording import lint


def main(arguments: Sequence[str]) -> int:
    """Lints the files and folders named by `arguments`, writes the complaints, and returns the exit code."""
    if not arguments:
        sys.stderr.write("usage: python -m harness.wording FILE_OR_FOLDER …\n")
        return 2
    try:
        complaints = lint(arguments)
    except OSError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.writelines(f"{complaint}\n" for complaint in complaints)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
