"""A thread that follows, and the engine that it keeps fresh. It lives on in forked processes."""

import atexit
import logging
import os
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Final
from weakref import WeakSet

from ...bundles.errors import BundleError, Error
from ...bundles.feed.callers import Callers
from ...runtime.engine import Engine
from ..telemetry.log import LOG
from .follower import Follower
from .in_force import Events
from .options import FollowOptions
from .pacing import LONGEST_BACK_OFF
from .reaching import NeverReached, is_reached
from .sources.bundle_source import BundleSource
from .status import Status

CLOSE_SECONDS: Final = 5.0
"""The longest time that closing waits for the thread. It ends soon, except in a call to an object store."""

WRITE_SECONDS: Final = 1.0
"""The time in which a confirmed write comes into force here, in seconds, unless something is wrong."""

OnStatus = Callable[[Status], None]


class FollowError(Error):
    """There is nothing to decide by. The message is one sentence. Treat it as a denial."""


class Following:
    """An engine that a thread keeps at the newest revision; see `follow`. Any thread may use it.

    A forked process has no such thread. It starts its own when it first uses `engine` or `status`. With a state
    directory, one of the processes follows, and the others read what it has written.
    """

    def __init__(
        self,
        options: FollowOptions,
        on_change: OnStatus | None = None,
        on_error: OnStatus | None = None,
        on_stale: OnStatus | None = None,
    ):
        """It does nothing before `start`. Without `on_stale`, a line in the log says that the revision gets stale."""
        self._options, self._on_change, self._on_error, self._on_stale = options, on_change, on_error, on_stale
        self._engine: Engine | None = None
        self._left_by_parent: list[object] = []
        self._closed = False
        self._prepare()

    def _prepare(self) -> None:
        """Make everything that belongs to one process."""
        self._lock, self._ready, self._stop = threading.Lock(), threading.Event(), threading.Event()
        self._heard = threading.Event()
        self._news = threading.Condition()
        self._thread: threading.Thread | None = None
        self._source: BundleSource | None = None
        self._follower: Follower | None = None
        self._told: str | None = None
        self._was_stale = False

    def start(self, wait_ready: float | None = None) -> "Following":
        """Start the thread, and wait up to `wait_ready` seconds until it is ready. Returns itself.

        It is ready when the newest revision that the source confirms is in force. If the source fails, or is silent,
        what the state directory has is enough.

        Raises FollowError if it is not ready by then, or if the state directory can't be used; and ValueError,
        ImportError or OSError if the source can't be opened.
        """
        with self._lock:
            if self._closed:
                raise FollowError("it does not follow any more: it was closed")
            if self._thread is None:
                self._start()
        if wait_ready and not self._ready.wait(wait_ready) and not self.status().is_ready:
            error = self.status().error or "the source did not answer yet"
            self.close()
            raise FollowError(f"it is not ready after {wait_ready:g} seconds: {error}")
        return self

    def look(self, seconds: float) -> None:
        """Start the thread, and wait until the source has confirmed a revision or failed, for `seconds` at most.

        Raises as `start`.
        """
        self.start()
        self._heard.wait(seconds)

    def _start(self) -> None:
        events = Events(change=self._changed)
        source, follower = self._options.open(events, self._engine)
        self._source, self._follower = source, follower
        try:
            follower.open()
        except (BundleError, OSError) as ex:
            follower.close()
            self._source = self._follower = None
            raise FollowError(f"the state directory can't be used: {ex}") from None
        self._tell(follower)
        arguments = (source, follower, self._stop)
        self._thread = threading.Thread(target=self._run, args=arguments, name="writ-follow", daemon=True)
        _live.add(self)
        self._thread.start()

    def _run(self, source: BundleSource, follower: Follower, stop: threading.Event) -> None:
        while not stop.is_set():
            try:
                pause = follower.step()
            except Exception:
                if stop.is_set():
                    break
                logging.getLogger(LOG).exception("following %s failed", source.name)
                pause = LONGEST_BACK_OFF
                self._heard.set()
            if not stop.is_set():
                self._tell(follower)
                stop.wait(pause)
        follower.close()

    def _changed(self) -> None:
        follower = self._follower
        assert follower is not None
        self._engine = follower.engine
        with self._news:
            self._news.notify_all()
        if self._on_change is not None:
            _call(self._on_change, follower.status())

    def _tell(self, follower: Follower) -> None:
        """Wake who waits for the first state, and call back for each error once."""
        status, has_heard = follower.status(), follower.has_heard
        if has_heard:
            self._heard.set()
        if has_heard and status.is_ready:
            self._ready.set()
        is_stale = status.is_stale and has_heard and status.state != "starting"
        if is_stale and not self._was_stale:
            _call(self._on_stale or self._tell_stale, status)
        elif has_heard and status.error not in (None, self._told) and self._on_error is not None:
            _call(self._on_error, status)
        self._told, self._was_stale = status.error if has_heard else None, is_stale

    def _tell_stale(self, status: Status) -> None:
        logging.getLogger(LOG).warning("the revision in force is stale: %s", status.error)
        if self._on_error is not None:
            self._on_error(status)

    @property
    def engine(self) -> Engine:
        """The engine. It is always the same object, so it may be kept.

        Raises FollowError if nothing is in force yet, if `max_staleness` has passed, or after `close`.
        """
        if self._closed:
            raise FollowError("it does not follow any more: it was closed")
        follower = self._alive()
        if follower.engine is None:
            raise FollowError(f"nothing is in force yet: {follower.status().error or 'the source did not answer yet'}")
        if self._options.max_staleness is not None and (status := follower.status()).is_stale:
            raise FollowError(f"what is in force is stale: {status.error or 'the source did not answer in time'}")
        return follower.engine

    @property
    def newest(self) -> Engine | None:
        """The engine in force, however stale, or None if nothing is in force yet."""
        return self._alive().engine

    @property
    def has_heard(self) -> bool:
        """True if the source has confirmed a revision, or failed, since this process follows it."""
        return self._alive().has_heard

    @property
    def callers(self) -> Callers | None:
        """The list of callers that the source sent last, or None."""
        return self._alive().callers

    def status(self) -> Status:
        """Returns what is in force, and how fresh it is."""
        return self._alive().status()

    def has(self, token: str) -> bool:
        """Returns whether the revision of a token is in force, or a newer one: of a write, or of a decision elsewhere.

        Raises FollowError if none ever will be, since the token is of another environment or of an earlier epoch, and
        after `close`.
        """
        if self._closed:
            raise FollowError("it does not follow any more: it was closed")
        try:
            return is_reached(self.newest, token)
        except NeverReached as ex:
            raise FollowError(str(ex)) from None

    def wait(self, token: str | None, timeout: float = WRITE_SECONDS) -> Engine:
        """Returns the engine, once the revision of a token is in force, or a newer one.

        None names no write, as of a call that changed nothing: the engine is returned at once.

        Raises FollowError after `timeout` seconds, and for the reasons of `has` and `engine`.
        """
        if token is None:
            return self.engine
        ends = time.monotonic() + timeout
        with self._news:
            while not self.has(token):
                left = ends - time.monotonic()
                if left <= 0:
                    raise self.too_late(token, timeout)
                self._news.wait(left)
        return self.engine

    def too_late(self, token: str, timeout: float) -> FollowError:
        """Returns the error of a revision that did not come in time."""
        error = self.status().error or "the source did not send it yet"
        return FollowError(f"the revision {token} is not in force after {timeout:g} seconds: {error}")

    def _alive(self) -> Follower:
        """Returns the follower of this process, which is started after a fork."""
        follower = self._follower
        if follower is None:
            self.start()
            follower = self._follower
            assert follower is not None
        return follower

    def close(self) -> None:
        """Stop following. The engine stays usable for those who kept it, at the revision that it has."""
        with self._lock:
            self._closed = True
            thread, source, self._thread = self._thread, self._source, None
        self._stop.set()
        with self._news:
            self._news.notify_all()
        _live.discard(self)
        if source is not None:
            source.interrupt()
        if thread is not None and thread is not threading.current_thread():
            thread.join(CLOSE_SECONDS)

    def __enter__(self) -> "Following":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()

    def _forget_parent(self) -> None:
        """Leave to the parent what is its own, after a fork. It takes no lock, since a lost thread may hold one."""
        if self._follower is not None:
            self._follower.leave()
            # Kept, because the end of these objects would close the connection of the parent.
            self._left_by_parent += [self._follower, self._source]
        self._prepare()


_live: "WeakSet[Following]" = WeakSet()


def _call(callback: OnStatus, status: Status) -> None:
    """Call back. An error of the application does not end the following."""
    try:
        callback(status)
    except Exception:
        logging.getLogger(LOG).exception("a callback of `follow` failed")


def _forget_parents() -> None:
    for one in list(_live):
        one._forget_parent()
    _live.clear()


def _close_all() -> None:
    for one in list(_live):
        one.close()


os.register_at_fork(after_in_child=_forget_parents)
atexit.register(_close_all)
