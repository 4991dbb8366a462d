"""What all tests rely on."""

import signal


def pytest_configure() -> None:
    """Tests of interruptions send SIGINT: it is heeded even where a shell started these tests in the background."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
