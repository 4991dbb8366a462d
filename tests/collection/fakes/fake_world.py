"""A world without a server: what it does is said by the steps of the feature."""

from harness.exchanges import Exchange, HttpAnswer, HttpRequest
from harness.verdicts import Finding, NotTestable, RuleBroken

TOKEN = "tok-3f9a/BC+d é"


class World:
    def __init__(self, settings, scenario, era, rule):
        self.settings, self.scenario, self.era, self.rule = settings, scenario, era, rule
        self.exchanges: list[Exchange] = []
        self.findings: list[Finding] = []
        self.redactions = {TOKEN}
        self.tenant_id = "tenant-1"
        self.fails_to_close: BaseException | None = None

    def exchange(self, body: bytes) -> None:
        request = HttpRequest("POST", "http://x/mcp", (("authorization", f"Bearer {TOKEN}".encode()),), body)
        answer = HttpAnswer(200, (("content-type", "application/json"),), body)
        self.exchanges.append(
            Exchange(len(self.exchanges) + 1, "client", "tools/call x", request, answer, None, 0.001)
        )

    def leave(self) -> None:
        if self.fails_to_close:
            raise self.fails_to_close


def open_world(settings, scenario, era, rule):
    if "opens broken" in scenario:
        raise RuleBroken(Finding("it does not speak"))
    if "opens untestable" in scenario:
        raise NotTestable("no control")
    if "opens faulty" in scenario:
        raise OSError("the mock is gone")
    return World(settings, scenario, era, rule)


def end_worlds(settings):
    """Nothing is left anywhere."""


def prepare():
    """Nothing is to be loaded."""


def begin_process():
    """Nothing is shared with another process."""
