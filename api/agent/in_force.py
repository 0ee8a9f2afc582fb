"""The state in force: the engine, the list of callers, and the files that the next start goes on from."""

import logging
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec

from ...bundles.errors import OlderBundle
from ...bundles.feed.callers import Callers
from ...bundles.system_errors import sentence_of
from ...runtime.engine import Engine
from ..telemetry.log import LOG
from .followed_bundle import FollowedBundle
from .freshness import Clocks, fresh_now, why_stale
from .state.current import Current
from .state.directory import StateDirectory
from .state.state_reader import StateReader
from .status import Status

KEEP_FRESH_SECONDS: Final = 10.0
"""The seconds between two writes of the freshness to the state directory."""

_NOTHING: Final = Current("", 0, 0, "", "", 0, None, None, 0.0, None, None)


@dataclass(slots=True)
class Candidate:
    """A bundle that is not in force, because it is older than what was. Updates may lead on from it.

    `path` is its file. A `temporary` one belongs to the follower. `updates` are those on top of `base` in `held`.
    """

    base: FollowedBundle
    path: Path
    temporary: bool
    held: FollowedBundle
    updates: list[bytes] = field(default_factory=list)

    def remove(self) -> None:
        """Remove the file, unless it belongs to another worker. A mapped file stays mapped."""
        if self.temporary:
            self.path.unlink(missing_ok=True)


@dataclass(slots=True)
class Events:
    """The functions to call after another state, or another list of callers, came into force."""

    change: Callable[[], None] = lambda: None
    callers: Callable[[Callers], None] = lambda _: None


class InForce:
    """The engine, and what it has. Whatever comes into force is on disk before, and never older than what was.

    - `engine` is None until something is in force. From then on it is always the same one.
    - `held` is what is in force, or None. `base` is its bundle without updates.
    - `floor` is the least epoch and revision that is accepted.
    - `current` is the state on disk. Without a state directory, it is kept in memory only.
    - `error` is one sentence about the last failure, or None. `excused` is one about what is no failure yet.
    - `confirmed` says that the source has said, since this process follows, that nothing newer exists.
    """

    def __init__(
        self,
        state: StateDirectory | None,
        reader: StateReader | None,
        clocks: Clocks,
        floor: tuple[int, int],
        engine: Engine | None,
        events: Events,
    ):
        """`reader` reads the state directory. `engine` is one to go on with, in a forked process."""
        self._state, self._reader, self._clocks, self._events = state, reader, clocks, events
        self.engine, self.floor = engine, floor
        self.base: FollowedBundle | None = None
        self.held: FollowedBundle | None = None
        self.callers: Callers | None = None
        self.current = _NOTHING
        self.confirmed = False
        self.error: str | None = None
        self.excused: str | None = None
        self.last_contact: float | None = None
        self._token: bytes | None = None
        self._kept_fresh = -math.inf

    @property
    def leads(self) -> bool:
        """True if this process follows the source itself, and writes the state directory if there is one."""
        return self._state is None or self._state.leads

    # -- from the state directory

    def open(self) -> Candidate | None:
        """Put into force what the state directory has.

        Some of its updates may be lost. What is left is then too old, and is the candidate that this returns. Raises
        WrongEnvironment if the directory belongs to another environment, and OSError if it can't be read.
        """
        if self._state is None or self._reader is None:
            return None
        leads = self._state.try_lead()
        self._reader.open()
        self._take(self._reader)
        if leads and self.held is None and self._reader.base is not None:
            return self._on_disk(self._reader.base)
        return None

    def may_ask(self) -> bool:
        """Returns whether this process asks the source. Another one takes over what the state directory has, instead.

        Raises BundleError and OSError if the state directory can't be used.
        """
        if self._state is None or self._reader is None or self._state.leads:
            return True
        leads, has_heard = self._state.try_lead(), self._state.leader_has_heard()
        try:
            if self._reader.poll():
                self._take(self._reader)
        finally:
            self.floor = max(self.floor, self._reader.seen)
        self.confirmed = not leads and has_heard  # what was read after that is what the leader has
        return leads

    def _take(self, reader: StateReader) -> None:
        if reader.current is None:
            return
        self.current, self.floor = reader.current, max(self.floor, reader.seen)
        if reader.held is not None and reader.held.age >= self.floor:
            self.base = reader.base
            self._put(reader.held)
        self.error = None if self.leads else reader.current.error
        if reader.callers is not None and reader.callers is not self.callers:
            self.callers = reader.callers
            self._events.callers(reader.callers)

    def rebased(self) -> Candidate | None:
        """Returns the bundle on disk without its updates, or None without a state directory. Raises OSError."""
        return None if self.base is None else self._on_disk(self.base)

    def _on_disk(self, base: FollowedBundle) -> Candidate | None:
        if self._state is None:
            return None
        self.current = msgspec.structs.replace(self.current, tag=None)
        return Candidate(base, self._state.linked(self.current.bundle), True, base)

    # -- from the source

    def put_update(self, later: FollowedBundle, update: bytes, tag: str | None) -> None:
        """Put into force what an update made. Raises OSError if it can't be stored. Then nothing has changed."""
        new = self._next(later, tag)
        self.current = new if self._state is None else self._state.keep_update(update, new)
        self._put(later)

    def put_bundle(self, candidate: Candidate, tag: str | None) -> None:
        """Put a candidate into force. Raises OSError if it can't be stored. Then nothing has changed."""
        new = self._next(candidate.held, tag)
        if self._state is None:
            candidate.remove()
            self.current = new
        else:
            self.current = self._state.keep_bundle(candidate.path, candidate.updates, new)
        self.base = candidate.base
        self._put(candidate.held)

    def put_callers(self, token: bytes, callers: Callers) -> None:
        """Put a list of callers into force. Raises OSError if it can't be stored. It counts nevertheless."""
        if token == self._token:
            return
        self.callers = callers
        self._events.callers(callers)
        if self._state is not None and self.current.bundle:
            self.current = self._state.keep_callers(token, self.current)
        self._token = token

    def _put(self, held: FollowedBundle) -> None:
        """Put this into force by one assignment."""
        changed = self.held is None or held.position != self.held.position
        self.held, self.floor = held, max(self.floor, held.age)
        self.error = self.excused = None
        if self.engine is None:
            self.engine = held.engine.pinned()
        else:
            self.engine.take_over(held.engine)
        if changed:
            self._events.change()

    def _next(self, held: FollowedBundle, tag: str | None) -> Current:
        """Returns the state after `held` came into force."""
        now, old = self._clocks.wall(), self.current
        return Current(*held.position, old.bundle, old.updates, old.callers, tag, now, old.fresh, None)

    # -- how fresh it is

    def check_floor(self, newest: FollowedBundle) -> None:
        """Raises OlderBundle if the newest that the source has is older than what was in force."""
        if newest.age < self.floor:
            found, floor = (f"epoch {epoch} and revision {revision}" for epoch, revision in (newest.age, self.floor))
            raise OlderBundle(f"the newest that the source has is {found}, and {floor} is the least that is accepted")

    def confirm(self, issued: float | None, tag: str | None) -> None:
        """Remember that nothing newer exists. See `fresh_now`."""
        self.error = self.excused = None
        self.confirmed = True
        fresh = fresh_now(self._clocks, issued, self.current.fresh)
        self.current = msgspec.structs.replace(self.current, fresh=fresh, tag=tag or self.current.tag)

    def fail(self, said: str) -> None:
        """Remember a failure, which is one sentence."""
        if said != self.error:
            logging.getLogger(LOG).warning("following the environment failed: %s", said)
        self.error = said

    def excuse(self, said: str) -> None:
        """Remember why there is no answer yet, which is one sentence. It is the error if the revision gets stale."""
        logging.getLogger(LOG).debug("following goes on later: %s", said)
        self.excused = said

    def keep_fresh(self) -> None:
        """Write the freshness and the error to the state directory, now and then. A failure changes nothing else."""
        now, old = self._clocks.steady(), self.current
        if self._state is None or not self._state.leads:
            return
        if self.has_heard:
            self._state.tell_heard()
        if not old.bundle:
            return
        if self.error == old.error and now - self._kept_fresh < KEEP_FRESH_SECONDS:
            return
        try:
            self.current = self._state.keep(msgspec.structs.replace(old, error=self.error))
            self._kept_fresh = now
        except OSError as ex:
            logging.getLogger(LOG).warning("the state can't be stored: %s", sentence_of(ex))

    @property
    def has_heard(self) -> bool:
        """True if the source has said that nothing newer exists, or if asking it failed."""
        return self.confirmed or (self.leads and self.error is not None)

    def status(self, max_staleness: float | None) -> Status:
        """Returns what is in force, and how fresh it is. Any thread may call it."""
        held, current = self.held, self.current
        staleness = math.inf if current.fresh is None else current.fresh.seconds(self._clocks)
        is_stale = max_staleness is not None and staleness > max_staleness
        error = self.error or (self.excused or why_stale(current.fresh) if is_stale else None)
        contact = self.last_contact if self.leads or current.fresh is None else current.fresh.wall
        confirmed = 0.0 if math.isinf(staleness) else self._clocks.wall() - staleness
        behind = error is not None or contact is None
        return Status(
            state="starting" if held is None else "behind" if behind else "following",
            environment=None if held is None else held.position.environment,
            epoch=None if held is None else held.position.epoch,
            revision=None if held is None else held.position.revision,
            bundle_revision=None if held is None else held.base,
            accepted=None if held is None else current.accepted,
            age=None if held is None else max(0.0, self._clocks.wall() - current.accepted),
            last_contact=contact,
            staleness=staleness,
            is_stale=is_stale,
            error=error,
            leads=self.leads,
            confirmed=confirmed,
        )
