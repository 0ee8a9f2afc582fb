"""One exchange with another server over HTTP, within a total time: a server that sends slowly is cut off.

The timeouts of a socket bound each wait for a byte. So a server that sends a byte now and then, in a TLS handshake, in
the headers or in the body, could hold an exchange for as long as it likes. `exchanged` does not wait for the lookup of
a name either. What keeps a connection, as a follower and a decision log do, waits for the system's resolver.
"""

import os
import socket
import ssl
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from http.client import HTTPException
from threading import Lock, Timer
from typing import Any, Final, NamedTuple

import urllib3
from urllib3.exceptions import HTTPError

from .in_time import in_time

CONNECT_SECONDS: Final = 5.0
"""Time to connect to a server."""

BROKEN: Final = (HTTPError, HTTPException, OSError, ValueError)
"""The errors that an exchange with a broken server raises."""


class Exchanged(NamedTuple):
    """An answer: its status, and the beginning of its body."""

    status: int
    body: bytes


def tls_of(url: str, ca_file: str | None = None) -> ssl.SSLContext | None:
    """Returns the context of TLS for a server, or None without TLS. Call it before the connection: it takes some time.

    A socket that is cut between its connection and its handshake would leave an object of TLS that nothing closes.
    """
    return ssl.create_default_context(cafile=ca_file) if url.startswith("https:") else None


class WatchedSocket:
    """The socket of the connection that was opened last. Any thread can cut it, also during a TLS handshake."""

    def __init__(self) -> None:
        self._lock, self.is_over = Lock(), False
        self.descriptor: int | None = None
        """That of a copy of the socket, since TLS takes the socket itself over. To shut down the one ends the other."""

    def watch(self, pool: urllib3.HTTPConnectionPool) -> None:
        """Take note of each socket that a pool opens."""
        kind: Any = pool.ConnectionCls
        opened = self._opened

        class Watched(kind):  # type: ignore[misc]  # the class depends on the scheme
            def _new_conn(self) -> socket.socket:
                made: socket.socket = super()._new_conn()
                opened(made)
                return made

        pool.ConnectionCls = Watched

    def _opened(self, made: socket.socket) -> None:
        self.close()
        with self._lock:
            self.descriptor = os.dup(made.fileno())
        if self.is_over:  # a handshake over a socket that is shut down would leave an object of TLS that nothing closes
            made.close()
            raise ConnectionAbortedError("the exchange is over")

    def cut(self) -> None:
        """End the exchange that is going on."""
        with self._lock, suppress(OSError):
            if self.descriptor is not None:
                copy = socket.socket(fileno=self.descriptor)
                try:
                    copy.shutdown(socket.SHUT_RDWR)
                finally:
                    copy.detach()

    def begin(self) -> None:
        """Begin an exchange: the end of an earlier one does not count for it."""
        self.is_over = False

    def end(self) -> None:
        """End the exchange that is going on, and each later one. A connection that comes only now is none either."""
        self.is_over = True
        self.cut()

    def close(self) -> None:
        """Forget the socket."""
        with self._lock:
            if self.descriptor is not None:
                os.close(self.descriptor)
            self.descriptor = None

    def __del__(self) -> None:
        self.close()


class Deadline:
    """The time until which a block must end. Then `cut` is called, and `passed` is true."""

    def __init__(self, cut: Callable[[], None], seconds: float) -> None:
        self._cut, self.passed = cut, False
        self._timer = Timer(seconds, self._pass)
        self._timer.daemon = True

    def _pass(self) -> None:
        self.passed = True
        self._cut()

    def __enter__(self) -> "Deadline":
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()


def exchanged(
    method: str,
    url: str,
    seconds: float,
    most_bytes: int,
    headers: Mapping[str, str] | None = None,
    body: str | None = None,
) -> Exchanged:
    """Returns the answer of a server, with `most_bytes` of its body at most. It follows no redirect.

    Raises TooSlow if it has not ended within `seconds`, and what is in BROKEN.
    """
    watched = WatchedSocket()
    sent = {"body": body, "headers": dict(headers or {})}
    timeout = urllib3.Timeout(connect=min(CONNECT_SECONDS, seconds), read=seconds)
    return in_time(partial(_exchange, watched, method, url, most_bytes, sent, timeout), seconds, watched.end)


def _exchange(
    watched: WatchedSocket,
    method: str,
    url: str,
    most_bytes: int,
    sent: Mapping[str, Any],
    timeout: urllib3.Timeout,
) -> Exchanged:
    manager = urllib3.PoolManager(num_pools=1, retries=False, ssl_context=tls_of(url))
    try:
        watched.watch(manager.connection_from_url(url))
        answer = manager.urlopen(method, url, redirect=False, timeout=timeout, preload_content=False, **sent)
        try:
            return Exchanged(answer.status, _beginning(answer, most_bytes, watched))
        finally:
            answer.close()
    finally:
        manager.clear()
        watched.close()


def _beginning(answer: urllib3.BaseHTTPResponse, most_bytes: int, watched: WatchedSocket) -> bytes:
    text = b""
    while len(text) < most_bytes and (piece := answer.read1(most_bytes - len(text), decode_content=True)):
        text += piece
        if watched.is_over:
            break
    return text
