"""What handlers call: it fixes the instant of a decision, takes the answer, and never waits for a disk or a network."""

import time
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple, Protocol

import msgspec

from ...runtime import Engine
from ..http.request_id import HEADER
from .entry import Entry, Kind
from .waiting import Waiting, Waits

MICROSECONDS: Final = 1_000_000
TRACE: Final = "traceparent"
"""The header with the trace of a request (W3C Trace Context)."""

_REQUEST_ID_FIELD: Final = HEADER.lower().encode()
_TRACE_FIELD: Final = TRACE.encode()


class LogFull(Exception):
    """The decision log can't take another record, and decisions without a record are refused: 503."""

    def __init__(self) -> None:
        super().__init__("the decision log is full, so nothing is decided now")


class Moment(msgspec.Struct, frozen=True, gc=False):
    """The instant of a decision.

    `now` is what the engine decides with, in epoch seconds, or None to read its clock. `instant` is the same in
    microseconds: a double keeps them apart, so a replay gets the same `now`. `began` is a monotonic clock's, in ns.
    """

    now: float | None
    instant: int
    began: int


class Asker(NamedTuple):
    """Who asked, by the credential, and the headers that name the request and its trace."""

    caller: str
    request_id: bytes | None
    trace: bytes | None

    @classmethod
    def of(cls, caller: str, fields: Mapping[bytes, bytes]) -> "Asker":
        """Returns the asker of a request with these header fields, by their lower-case names."""
        return cls(caller, fields.get(_REQUEST_ID_FIELD), fields.get(_TRACE_FIELD))


class HasHeaders(Protocol):
    """A request of the web framework, which knows its caller."""

    @property
    def context(self) -> "HasCredential": ...

    def get_header(self, name: str) -> str | None: ...


class HasCredential(Protocol):
    """The context of a request that the guard has admitted."""

    @property
    def credential(self) -> "HasActor": ...


class HasActor(Protocol):
    """A credential."""

    @property
    def actor(self) -> str: ...


class Log(Protocol):
    """What handlers need. `is_on` tells whether `keep` does anything, so that they make nothing in vain."""

    is_on: bool

    def begin(self) -> Moment:
        """Returns the instant of a decision that is made now. Raises LogFull."""

    def keep(
        self, kind: Kind, moment: Moment, engine: Engine, request: bytes, answer: bytes, asker: Asker, cut: bool = False
    ) -> None:
        """Takes an answer. `engine` is pinned at the revision that decided. `request` and `answer` are JSON."""


class Counts(NamedTuple):
    """Numbers of a worker since its start: calls that were kept, and calls that were dropped because the log was full.

    `waiting` and `waiting_bytes` are those of now.
    """

    kept: int
    dropped: int
    waiting: int
    waiting_bytes: int


class NoLog:
    """The decision log that is off. Engines read their own clocks."""

    is_on = False
    _MOMENT: Final = Moment(None, 0, 0)

    def begin(self) -> Moment:
        """See `Log`."""
        return self._MOMENT

    def keep(self, *_: object, **__: object) -> None:
        """See `Log`."""


NO_LOG: Final = NoLog()


class DecisionLog:
    """The decision log of one worker. `refuses` says that no decision is made without a record."""

    is_on = True

    def __init__(self, waiting: Waiting, refuses: bool, clock: Callable[[], float]) -> None:
        """`clock` gives epoch seconds.

        `at_once` may make a line of an entry before it waits, or leave the entry out.
        """
        self._waiting, self._refuses, self._clock = waiting, refuses, clock
        self._number = self._dropped = 0
        self.at_once: Callable[[Entry], Waits | None] = _as_it_is

    def begin(self) -> Moment:
        """See `Log`."""
        if self._refuses and self._waiting.is_full():
            raise LogFull
        instant = int(self._clock() * MICROSECONDS)
        return Moment(instant / MICROSECONDS, instant, time.perf_counter_ns())

    def keep(
        self, kind: Kind, moment: Moment, engine: Engine, request: bytes, answer: bytes, asker: Asker, cut: bool = False
    ) -> None:
        """See `Log`. Drops the answer if the log is full, and counts that."""
        if not self._refuses and self._waiting.is_full():
            self._dropped += 1
            return
        environment = engine.manifest.environment
        self._number += 1
        entry = Entry(
            kind,
            self._number,
            moment.instant,
            (time.perf_counter_ns() - moment.began) // 1_000,
            None if environment is None else environment.id,
            engine.revision,
            request,
            answer,
            *asker,
            cut,
        )
        made = self.at_once(entry)
        if made is not None:
            self._waiting.put(made)

    def counts(self) -> Counts:
        """Returns the numbers of this worker, for those who watch it."""
        return Counts(self._number, self._dropped, self._waiting.entries, self._waiting.bytes)


def _as_it_is(entry: Entry) -> Waits:
    return entry


def asker_of(req: HasHeaders) -> Asker:
    """Returns the asker of a request of the web framework, which the guard has admitted."""
    return Asker(req.context.credential.actor, _bytes(req.get_header(HEADER)), _bytes(req.get_header(TRACE)))


def _bytes(header: str | None) -> bytes | None:
    return None if header is None else header.encode("latin-1", "replace")
