"""Follows a source, one step after the other. It has no thread and does not wait: its caller does."""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Final

import msgspec

from ...bundles.errors import BundleError, DoesNotFollow, OlderBundle
from ...bundles.feed.callers import Callers
from ...bundles.feed.update import Update
from ...bundles.system_errors import public_reason
from ...runtime.engine import Engine
from ...runtime.rates.rate_table import RateTable
from .followed_bundle import FollowedBundle, followed_bundle_from
from .freshness import Clocks, system_clocks
from .in_force import Candidate, Events, InForce
from .pacing import Pacing, Refusals
from .sources.bundle_head import LONGEST_BUNDLE, check_file
from .sources.bundle_source import (
    NEVER,
    Answer,
    Ask,
    BundleSource,
    FetchedBundle,
    FetchedUpdate,
    Interrupted,
    SourceError,
    Unchanged,
)
from .state.directory import StateDirectory
from .state.state_reader import StateReader
from .status import Status
from .trust import Trust

WAIT_SECONDS: Final = 30.0
"""The time for which a source may hold a question until something changes."""

WATCH_SECONDS: Final = 0.2
"""The seconds between two looks of a process at the state directory that another process writes."""

MOST_MISFITS: Final = 3
"""The updates in a row that do not lead on, after which a follower asks for a whole bundle."""


class Follower:
    """Keeps an engine at the newest revision of an environment. Only one thread may call `open`, `step` and `close`.

    A request keeps the snapshot that it started with, whatever comes into force meanwhile.
    """

    def __init__(
        self,
        source: BundleSource,
        trust: Trust,
        state: StateDirectory | None = None,
        *,
        engine: Engine | None = None,
        floor: tuple[int, int] = (0, 0),
        max_staleness: float | None = None,
        clock: Callable[[], float] = time.time,
        counters: RateTable | None = None,
        strict: bool = False,
        clocks: Clocks | None = None,
        random: Random | None = None,
        wait: float = WAIT_SECONDS,
        longest: int = LONGEST_BUNDLE,
        events: Events | None = None,
    ):
        """`engine` is one to go on with, in a forked process. `clock`, `counters` and `strict` are those of a
        new one.

        `floor` is the least epoch and revision that is accepted. `max_staleness` and `wait` are in seconds. `longest`
        is the most bytes of a bundle.
        """
        self._source, self._trust, self._counters, self._strict = source, trust, counters, strict
        self._clock, self._clocks, self._wait = clock, clocks or system_clocks(), wait
        self._max_staleness, self._state, self._longest = max_staleness, state, longest
        reader = None if state is None else StateReader(state, trust, clock, counters, strict)
        self._in_force = InForce(state, reader, self._clocks, floor, engine, events or Events())
        self._folder = Path(tempfile.gettempdir()) if state is None else state.folder
        self._pacing = Pacing(random or Random())  # noqa: S311 - it spreads load, and protects nothing
        self._refusals = Refusals()
        self._candidate: Candidate | None = None
        self._whole, self._misfits, self._is_reached = False, 0, False

    @property
    def engine(self) -> Engine | None:
        """The engine, or None until something is in force. From then on it is always the same one."""
        return self._in_force.engine

    @property
    def callers(self) -> Callers | None:
        """The list of callers that was accepted last, or None."""
        return self._in_force.callers

    @property
    def has_heard(self) -> bool:
        """True if the source has said that nothing newer exists, or if asking it failed.

        Until then, what is in force may be an old state on disk.
        """
        return self._in_force.has_heard

    def status(self) -> Status:
        """Returns what is in force, and how fresh it is. Any thread may call it."""
        return self._in_force.status(self._max_staleness)

    # -- the steps

    def open(self) -> None:
        """Put into force what the state directory has, if it has something.

        Raises WrongEnvironment if the directory belongs to another environment, and OSError if it can't be read.
        """
        self._candidate = self._in_force.open()

    def step(self) -> float:
        """Ask the source once, and use its answer. Returns the seconds until the next step.

        In a process that does not write the state directory, look at the directory instead.
        """
        was_whole = self._whole
        try:
            return self._ask() if self._in_force.may_ask() else WATCH_SECONDS
        except Interrupted:
            return WATCH_SECONDS
        except (SourceError, BundleError, OSError) as ex:
            return self._fail(ex, was_whole)

    def close(self) -> None:
        """Stop for good. The state directory is free for another process, and the engine stays as it is."""
        self._drop_candidate()
        self._source.close()
        if self._state is not None:
            self._state.release()

    def leave(self) -> None:
        """Let go of the state directory in a forked child, which does not follow. The parent still has it."""
        if self._state is not None:
            self._state.release()

    def _ask(self) -> float:
        newest = self._newest()
        position = None if self._whole or newest is None else newest.position
        asked = self._clocks.steady()
        unwanted = self._refusals.tag(asked)
        tag = unwanted or (None if position is None else self._in_force.current.tag)
        wait = self._wait if self._is_reached else 0.0
        answer = self._source.fetch(Ask(position, tag, wait, self._folder))
        elapsed, self._is_reached = self._clocks.steady() - asked, True
        self._in_force.last_contact = self._clocks.wall()
        if isinstance(answer, Unchanged) and unwanted is not None:
            return self._pacing.after_nothing(self._source.interval, elapsed)
        try:
            pause, callers = self._use(answer, elapsed)
        except BundleError:
            # Only a bundle is much to fetch. The tag of an update names the newest revision, which a bundle may have.
            if isinstance(answer, FetchedBundle):
                self._refusals.add(answer.tag, asked)
            raise
        self._misfits = 0
        self._refusals.forget()
        self._take_callers(answer.callers or callers)
        self._in_force.keep_fresh()
        return pause if wait == self._wait else min(pause, self._pacing.after_update())

    def _use(self, answer: Answer, elapsed: float) -> tuple[float, bytes | None]:
        """Put an answer into force. Returns the pause after it, and the list of callers in it."""
        before = self._in_force.current.tag
        match answer:
            case FetchedBundle():
                return self._take_bundle(answer, elapsed), None
            case FetchedUpdate():
                update = self._take_update(answer)
                if self._candidate is not None:
                    return self._pacing.after_bundle(), update.callers
                issued = update.claims.issued if answer.issued == NEVER else answer.issued
                self._in_force.confirm(issued, answer.tag)
                if update.deltas or answer.tag != before:
                    return self._pacing.after_update(), update.callers
                return self._pacing.after_nothing(self._source.interval, elapsed), update.callers
            case Unchanged():
                self._check_floor()
                self._in_force.confirm(answer.issued, answer.tag)
                return self._pacing.after_nothing(self._source.interval, elapsed), None

    def _fail(self, error: Exception, was_whole: bool = False) -> float:
        """Remember why a step failed. Returns the pause after it. The next question is not held, if that succeeds.

        `was_whole` says that the follower asked for a whole bundle already, before the step.
        """
        said, self._is_reached = str(error), False
        if isinstance(error, OSError):
            said = f"the new state can't be stored: {public_reason(error)}"
        needs_bundle = isinstance(error, DoesNotFollow) and self._whole and not was_whole
        if needs_bundle or self._is_patient(error):
            self._in_force.excuse(said)
        else:
            self._in_force.fail(said)
        self._in_force.keep_fresh()
        if needs_bundle:
            return self._pacing.before_bundle()
        if not isinstance(error, SourceError):
            return self._pacing.after_failure(None)
        pause = self._pacing.while_away if error.is_away else self._pacing.after_failure
        return pause(error.retry_after)

    def _is_patient(self, error: Exception) -> bool:
        """Returns whether an error is part of following: the source asks for patience, and something is in force."""
        asks = isinstance(error, SourceError) and error.retry_after is not None
        return asks and self._in_force.held is not None and self._pacing.is_patient(self._clocks.steady())

    def _newest(self) -> FollowedBundle | None:
        return self._in_force.held if self._candidate is None else self._candidate.held

    def _check_floor(self) -> None:
        """Raises OlderBundle and SourceError if the source says that there is nothing newer, but it must have more."""
        newest = self._newest()
        if newest is None:
            raise SourceError(f"{self._source.name} has no bundle")
        self._in_force.check_floor(newest)

    # -- updates

    def _take_update(self, answer: FetchedUpdate) -> Update:
        """Put an update into force, and return it."""
        before = self._newest()
        if before is None:
            raise SourceError(f"{self._source.name} sent an update, but there is no bundle yet")
        update = self._trust.update(answer.data, self._clocks.wall())
        try:
            update.check_follows(before.position)
        except DoesNotFollow:
            # It may only have been repeated on its way. Another bundle or epoch needs a whole bundle.
            self._misfits += 1
            same = update.claims.epoch == before.position.epoch and before.position.manifest in update.claims.manifests
            self._ask_for_bundle(not same or self._misfits >= MOST_MISFITS)
            raise
        if not update.deltas:
            self._check_floor()
        try:
            later = before.updated(update, len(answer.data))
        except BundleError:
            self._ask_for_bundle(True)
            raise
        self._put_update(later, answer, bool(update.deltas))
        return update

    def _put_update(self, later: FollowedBundle, answer: FetchedUpdate, changed: bool) -> None:
        candidate = self._candidate
        if candidate is not None:
            candidate.held = later
            if changed:
                candidate.updates.append(answer.data)
            if later.age >= self._in_force.floor:
                self._put_bundle(candidate, answer.tag)
        elif changed:
            self._in_force.put_update(later, answer.data, answer.tag)
            if self._pacing.is_too_much(later.deltas, later.size):
                self._whole = True
            elif self._pacing.is_too_many(later.updates):
                self._candidate = self._in_force.rebased()

    def _ask_for_bundle(self, now: bool) -> None:
        if now:
            self._drop_candidate()
            self._whole = True

    # -- bundles

    def _take_bundle(self, answer: FetchedBundle, elapsed: float) -> float:
        """Put a bundle into force. Returns the pause after it."""
        candidate = self._opened(answer)
        newest, asked, self._whole = self._newest(), self._whole, False
        if newest is not None and newest.position.manifest == candidate.held.position.manifest:
            candidate.remove()
            return self._find_nothing_newer(newest.position == candidate.held.position, asked, answer.tag, elapsed)
        self._drop_candidate()
        if candidate.held.age >= self._in_force.floor:
            self._put_bundle(candidate, answer.tag)
        else:
            self._candidate = candidate
            self._in_force.current = msgspec.structs.replace(self._in_force.current, tag=answer.tag)
        return self._pacing.after_bundle()

    def _opened(self, answer: FetchedBundle) -> Candidate:
        """Returns the bundle in a file, verified. If it is refused, its file is gone."""
        path, temporary = answer.path, answer.temporary
        try:
            check_file(path, self._longest)  # before it is copied, or read as a whole
            if self._state is not None and not temporary:
                path, temporary = self._state.copied(path), True
            uuid = self._in_force.current.environment or None
            bundle = self._trust.bundle(path, self._clocks.wall(), uuid, self._in_force.floor[0])
            held = followed_bundle_from(bundle, self._clock, self._counters, self._strict)
        except BaseException:
            if temporary:
                path.unlink(missing_ok=True)
            raise
        return Candidate(held, path, temporary, held)

    def _find_nothing_newer(self, is_newest: bool, asked: bool, tag: str | None, elapsed: float) -> float:
        """Go on without a bundle that the source sent once more. Returns the pause after it.

        `is_newest` says that nothing stands on top of it here, and `asked` that the follower asked for a bundle.
        """
        if self._misfits or not (is_newest or asked):
            raise OlderBundle("the source has no newer bundle, and no update that leads on")
        self._pacing.allow_more()
        self._in_force.current = msgspec.structs.replace(self._in_force.current, tag=tag)
        return self._pacing.after_bundle() if asked else self._pacing.after_nothing(self._source.interval, elapsed)

    def _put_bundle(self, candidate: Candidate, tag: str | None) -> None:
        self._candidate = None
        self._in_force.put_bundle(candidate, tag)
        if self._pacing.is_too_many(2 * len(candidate.updates)):
            self._pacing.allow_more()  # the source has no larger updates

    def _drop_candidate(self) -> None:
        if self._candidate is not None:
            self._candidate.remove()
            self._candidate = None

    # -- callers

    def _take_callers(self, token: bytes | None) -> None:
        """Put a list of callers into force. A bad one does not hold up the bundle."""
        held = self._in_force.held
        if token is None or held is None or self._trust.keys is None:
            return
        try:
            callers = self._trust.callers(token, self._clocks.wall(), held.position.environment, self.callers)
            self._in_force.put_callers(token, callers)
        except (BundleError, OSError) as ex:
            self._fail(ex)
