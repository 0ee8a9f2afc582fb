"""A connection of the driver on which a thread waits no longer than it may, and no end waits for a dead network."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Any, Final, TypeAlias, TypeVar

import psycopg
from psycopg.abc import PQGen

LOOK_SECONDS: Final = 0.1
"""The seconds between two looks whether a thread may wait on."""

DEAD_SECONDS: Final = 3
"""The time without a sign of the other end's kernel. A process that is slow or stopped gives signs all the time."""

_PROBES: Final = {"idle": "1", "interval": "1", "count": str(DEAD_SECONDS - 1)}
_PATIENCE: Final = str(DEAD_SECONDS * 1_000)

CLIENT_PROBES: Final = {f"keepalives_{name}": value for name, value in _PROBES.items()} | {
    "tcp_user_timeout": _PATIENCE
}
"""Parameters of a connection, by name, with which both ends notice soon that the network drops all packets.

By its own settings, the database notices after hours: a session keeps its locks until then. And each call that reads
would wait as long, but for decisions, which wait no longer than the lease.
"""

SERVER_PROBES: Final = {f"tcp_keepalives_{name}": value for name, value in _PROBES.items()} | {
    "tcp_user_timeout": _PATIENCE
}
"""The same settings of a session, by name. They do nothing on a socket of the same machine."""

Refusal: TypeAlias = Callable[[], None]
"""Raises an error if a thread may not wait for the database any more."""

_T = TypeVar("_T")

# It warns of what follows from an error, such as the rest of a pipeline that is skipped. The error itself is raised.
logging.getLogger("psycopg").setLevel(logging.ERROR)


def _unbounded() -> None:
    """Returns None: every thread may wait."""


class Session(psycopg.Connection[tuple[Any, ...]]):
    """A connection of the driver that ends without a word with the thread that had it.

    The driver closes it then, unless it is that of the process which forked this one.
    """

    refusal: Callable[[], Refusal | None] = staticmethod(_unbounded)
    """Returns the refusal of this thread, or None if it may wait. If it refuses, the connection is closed: the answer
    that is still to come would be taken for that to the next question."""

    def wait(self, gen: PQGen[_T], interval: float = LOOK_SECONDS, timeout: float | None = None) -> _T:
        """See the driver."""
        refusal = self.refusal()
        return super().wait(gen if refusal is None else self._waiting(gen, refusal), interval, timeout)

    def _waiting(self, gen: PQGen[_T], refusal: Refusal) -> PQGen[_T]:
        """Yields what `gen` waits for, and sends it what has come. Returns its result."""
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                if not ready:
                    self._refuse(refusal)
                wanted = gen.send(ready)
        except StopIteration as end:
            result: _T = end.value
            return result

    def _refuse(self, refusal: Refusal) -> None:
        try:
            refusal()
        except BaseException:
            self.close()
            raise

    def __del__(self, *_: Any) -> None:
        """Do not warn."""


def connected(conninfo: str, refusal: Refusal | None) -> Session:
    """Returns a new connection. Raises psycopg.Error, and what `refusal` raises, also before it connects.

    A thread connects meanwhile: to look up the name of a host may take long, and can't be ended.
    """
    if refusal is None:
        return Session.connect(conninfo)
    refusal()
    made: Future[Session] = Future()
    threading.Thread(target=_connect, args=(conninfo, made), name="connect", daemon=True).start()
    while not wait([made], LOOK_SECONDS).done:
        try:
            refusal()
        except BaseException:
            if not made.cancel():
                made.result().close()
            raise
    return made.result()


def _connect(conninfo: str, made: "Future[Session]") -> None:
    try:
        session = Session.connect(conninfo)
    except BaseException as ex:
        if made.set_running_or_notify_cancel():
            made.set_exception(ex)
        return
    if made.set_running_or_notify_cancel():
        made.set_result(session)
    else:
        session.close()
