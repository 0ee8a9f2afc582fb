"""The decision log as handlers call it: it fixes the instant of a decision, takes the answer, and waits for no disk."""

import logging
from collections.abc import Callable
from pathlib import Path
from time import perf_counter_ns
from typing import Final, Protocol

from ....runtime import Engine
from ...http.request_id import HasHeaders, id_of
from ..log_lines import TRACE
from .decision_ids import IDS
from .entry import ENTRY_BYTES, LINE_BYTES, MICROSECONDS, Asker, EntryKind, Moment, Taken, Waiting
from .plain_lines import PlainLines


class LogFull(Exception):
    """The decision log can't take another record, and decisions without a record are refused: 503."""

    def __init__(self) -> None:
        super().__init__("the decision log is full, so nothing is decided now")


class HasCaller(HasHeaders, Protocol):
    """A request of the web framework, which knows its caller."""

    @property
    def context(self) -> "HasCredential": ...


class HasCredential(Protocol):
    """The context of a request that the guard has admitted."""

    decision_id: str

    @property
    def credential(self) -> "HasActor": ...


class HasActor(Protocol):
    """A credential."""

    @property
    def actor(self) -> str: ...


class Log(Protocol):
    """The interface of a decision log. `is_on` tells handlers whether `keep` does anything.

    `file` is where the records are, or None if they can't be read back.
    """

    is_on: bool
    file: Path | None

    def begin(self, began: int) -> Moment:
        """Returns the instant of a decision that is made now. `began` is that of `Moment`. Raises LogFull."""

    def keep(
        self,
        kind: EntryKind,
        moment: Moment,
        engine: Engine,
        request: bytes,
        answer: bytes,
        asker: Asker,
        cut: bool = False,
        unreadable: tuple[str, ...] = (),
    ) -> None:
        """Takes an answer. `engine` is pinned at the revision that decided. `request` and `answer` are JSON.

        `unreadable` is that of `Entry`.
        """

    def take(
        self,
        kind: EntryKind,
        moment: Moment,
        duration: int,
        engine: Engine,
        request: bytes,
        answer: bytes,
        caller: str,
        request_id: bytes | None,
        trace: bytes | None,
        cut: bool = False,
        unreadable: tuple[str, ...] = (),
    ) -> None:
        """Takes an answer as `keep` does, from where each object and each look at a clock counts.

        `duration` is in nanoseconds. The asker's members are those of `Asker`.
        """


class NoLog:
    """The decision log that is off. Engines read their own clocks."""

    is_on = False
    file: Path | None = None

    def begin(self, began: int) -> Moment:
        """See `Log`."""
        return Moment(None, 0, began, IDS.next())

    def keep(self, *_: object, **__: object) -> None:
        """See `Log`."""

    take = keep


NO_LOG: Final = NoLog()


class DecisionLog:
    """The decision log of one worker. `refuses` says that no decision is made without a record.

    `plain` makes the lines of plain answers. Without it, the writer makes every record. `failed` counts the answers
    whose lines could not be made.
    """

    is_on = True

    def __init__(self, waiting: Waiting, refuses: bool, clock: Callable[[], float], log: logging.Logger) -> None:
        """`clock` gives epoch seconds."""
        self._waiting, self._refuses, self._clock, self._log = waiting, refuses, clock, log
        self.plain: PlainLines | None = None
        self.failed = 0
        self.file: Path | None = None

    def begin(self, began: int) -> Moment:
        """See `Log`."""
        if self._refuses and self._waiting.is_full():
            raise LogFull
        instant = int(self._clock() * MICROSECONDS)
        return Moment(instant / MICROSECONDS, instant, began, IDS.next())

    def keep(
        self,
        kind: EntryKind,
        moment: Moment,
        engine: Engine,
        request: bytes,
        answer: bytes,
        asker: Asker,
        cut: bool = False,
        unreadable: tuple[str, ...] = (),
    ) -> None:
        """See `Log`. Drops the answer if the log is full, and counts that."""
        duration, told = perf_counter_ns() - moment.began, (asker.caller, asker.request_id, asker.trace)
        self.take(kind, moment, duration, engine, request, answer, *told, cut, unreadable)

    def take(
        self,
        kind: EntryKind,
        moment: Moment,
        duration: int,
        engine: Engine,
        request: bytes,
        answer: bytes,
        caller: str,
        request_id: bytes | None,
        trace: bytes | None,
        cut: bool = False,
        unreadable: tuple[str, ...] = (),
    ) -> None:
        """See `Log`.

        PERF: `cost_of` is written out, as this is called for each decision. A plain answer becomes a line at once: to
        keep it until others have come takes longer.
        """
        cost = ENTRY_BYTES + len(request) + len(answer)
        taken = Taken(kind, moment, duration, engine, request, answer, caller, request_id, trace, cost, cut, unreadable)
        try:
            line = None if self.plain is None else self.plain.line(taken)
        except Exception as ex:  # the decision is made, and its answer goes out
            self._log.error("the decision log lost records: %s", type(ex).__name__, exc_info=ex)
            self.failed += 1
            return
        if line is None:
            self._waiting.put(taken, cost, self._refuses)
        elif line:
            self._waiting.put(line, LINE_BYTES + len(line), self._refuses)


def begin(log: Log, req: HasCaller) -> Moment:
    """Returns the instant of a decision that is made now for a request, whose answer tells its id. Raises LogFull."""
    moment = log.begin(perf_counter_ns())
    req.context.decision_id = moment.id.decode()
    return moment


def asker_of(req: HasCaller) -> Asker:
    """Returns the asker of a request of the web framework, which the guard has admitted."""
    trace = req.get_header(TRACE.decode())
    return Asker(
        req.context.credential.actor, id_of(req), None if trace is None else trace.encode("latin-1", "replace")
    )
