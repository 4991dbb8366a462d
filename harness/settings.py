"""What a run was asked to do: plain data."""

from dataclasses import dataclass
from urllib.parse import urlsplit

Address = tuple[str, int]
"""A host and a port."""


@dataclass(frozen=True)
class Settings:
    """The settings of one run.

    `features` are directories of feature files; `rules` and `scenarios` narrow what is asked (empty: everything).
    `urls` are replicas of the server under test. `control_*` reach the mock's control plane; the secret stays in
    memory, never in an argument or an environment. Times are in seconds.
    `time_proven` is true where it is known that the time control moves the clock by which this server lets a yes grow
    old, `dates_proven` where it moves the one by which it computes dates; `time_said` is what was seen, in a sentence.
    `time_file` is the file that a process moved by libfaketime follows, empty where none is.
    `person` is who decides on a console that is not ours: `manual`, or a command; empty for the mock's own console.

    `public_url` is where the API's own links lead, where that is not `api_url`. `headers` (name, value) go with every
    request to the server under test, `ca_file` names authorities its certificate may come from. `tags` and `not_tags`
    narrow what is asked; `shard` is (i, n): the i-th of n parts; `shuffled` is the seed of the order in which scenarios are
    run, None for that of the features. `max_wait` is how long real waits may take together.
    `read_only` is a real system under `token`: there is no mock, and nothing but reading is ever sent.
    """

    product: str
    features: tuple[str, ...]
    urls: tuple[str, ...]
    api_url: str
    control_url: str
    control_secret: str
    eras: tuple[str, ...] = ("2025", "2026")
    rules: tuple[str, ...] = ()
    scenarios: tuple[str, ...] = ()
    seed: int = 1
    workers: int = 1
    timeout: float = 10.0
    keep: bool = False
    time_control: str = "upstream-date"
    time_proven: bool = False
    dates_proven: bool = False
    time_said: str = ""
    time_file: str = ""
    person: str = ""
    public_url: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    ca_file: str | None = None
    tags: tuple[str, ...] = ()
    not_tags: tuple[str, ...] = ()
    shard: tuple[int, int] | None = None
    shuffled: int | None = None
    max_wait: float = 0.0
    read_only: bool = False
    token: str = ""

    @property
    def console_url(self) -> str:
        """Where people find the console, without a slash at its end: the base of every link the API hands out."""
        return (self.public_url or self.api_url).rstrip("/")

    @property
    def order(self) -> str:
        """The order of the scenarios, as `--order` takes it."""
        return "written" if self.shuffled is None else f"random:{self.shuffled}"

    @property
    def secrets(self) -> frozenset[str]:
        """What no record, report or screen may show."""
        given = {self.control_secret, self.token, *(value for _, value in self.headers)}
        return frozenset(secret for secret in given if secret)

    @property
    def detours(self) -> tuple[tuple[Address, Address], ...]:
        """Addresses that are reached elsewhere: the API's public one at the mock's own listener.

        A name that only containers can resolve stays in links and `Host`. With https a proxy is in between, and the
        address is taken as it is.
        """
        public, own = urlsplit(self.public_url), urlsplit(self.api_url)
        if public.scheme != "http" or own.scheme != "http" or not public.hostname or not own.hostname:
            return ()
        return (((public.hostname, public.port or 80), (own.hostname, own.port or 80)),)
