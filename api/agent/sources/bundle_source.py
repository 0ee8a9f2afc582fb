"""The interface of a source: one question, and the answers to it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol, TypeAlias

from ....bundles.feed.position import Position

NEVER: Final = 0.0
"""The time of a signature that there is not."""


class SourceError(Exception):
    """A source gave no usable answer. The message is one sentence.

    `retry_after` is the time in seconds that the source wants to be left alone, or None. `is_away` says that
    the source gave no answer, but perhaps will in a moment. Otherwise the same question would fail again.
    """

    def __init__(self, message: str, retry_after: float | None = None, *, is_away: bool = False):
        super().__init__(message)
        self.retry_after, self.is_away = retry_after, is_away


class Interrupted(SourceError):
    """The follower stops, so a question was not answered."""

    def __init__(self) -> None:
        super().__init__("it was told to stop")


@dataclass(frozen=True, slots=True)
class Ask:
    """A question to a source.

    - `position` is what the follower has, or None if it wants a whole bundle.
    - `tag` is that of an answer which the follower does not want again, or None.
    - `wait` is the time in seconds for which the source may hold the question until something changes.
    - `folder` is for files that the source makes.
    """

    position: Position | None
    tag: str | None
    wait: float
    folder: Path


@dataclass(frozen=True, slots=True)
class Unchanged:
    """The follower has the newest revision.

    `tag` names this state of the source. `callers` is a signed list of callers, or None if it did not change. `issued`
    is the time of the signature that says so, in epoch seconds, or None if the source itself says so now. It is NEVER
    if anyone on the way may have said it.
    """

    tag: str | None
    callers: bytes | None = None
    issued: float | None = None


@dataclass(frozen=True, slots=True)
class FetchedUpdate:
    """An encoded update, which is not verified yet. The other members are those of `Unchanged`.

    If `issued` is NEVER, the signature of the update itself says when it was the newest.
    """

    data: bytes
    tag: str | None
    callers: bytes | None = None
    issued: float | None = None


@dataclass(frozen=True, slots=True)
class FetchedBundle:
    """A file with a bundle, which is not verified yet. A `temporary` one belongs to the follower from now on."""

    path: Path
    tag: str | None
    temporary: bool = True
    callers: bytes | None = None


Answer: TypeAlias = Unchanged | FetchedUpdate | FetchedBundle


class BundleSource(Protocol):
    """A place to get bundles from. Only one thread asks it, but any thread may interrupt it."""

    @property
    def name(self) -> str:
        """The source, for messages. It contains no secret."""

    @property
    def interval(self) -> float:
        """The time from one question to the next in seconds, if nothing changes and the source does not wait."""

    def fetch(self, ask: Ask) -> Answer:
        """Returns the answer to a question, after a bounded time and with a bounded number of bytes.

        Raises SourceError, BundleError for what is not genuine, and OSError if a file can't be written.
        """

    def interrupt(self) -> None:
        """End a running `fetch` soon, and refuse later ones."""

    def close(self) -> None:
        """Close connections and remove unfinished files. No request follows."""
