"""A connection to one HTTP server, with a deadline for each exchange. Any thread can cut it."""

import socket
import ssl
from collections.abc import Mapping
from threading import Timer
from typing import Any, Final

import urllib3
from urllib3.connection import HTTPConnection
from urllib3.exceptions import (
    ConnectTimeoutError,
    MaxRetryError,
    NameResolutionError,
    NewConnectionError,
    ProxyError,
    ReadTimeoutError,
    SSLError,
)

from ...http.outgoing.bounded_exchange import CONNECT_SECONDS, WatchedSocket, tls_of
from .bundle_source import Interrupted

KEEP_ALIVE_SECONDS: Final = 5
"""The seconds of silence after which the system asks whether the machine of the server is still there, and again."""

MOST_UNANSWERED: Final = 3
"""The unanswered ones after which the connection has ended, as when the machine of the server lost its power."""


class ExchangeDeadline:
    """The time until which an exchange must end. Then the connection is cut."""

    def __init__(self, connection: "SourceConnection", seconds: float):
        self._connection = connection
        self.passed = False
        self._timer = self._started(seconds)

    def _started(self, seconds: float) -> Timer:
        timer = Timer(seconds, self._pass)
        timer.daemon = True
        timer.start()
        return timer

    def extend(self, seconds: float) -> None:
        """Let the exchange end within so many seconds from now."""
        self._timer.cancel()
        self._timer = self._started(seconds)

    def _pass(self) -> None:
        self.passed = True
        self._connection.cut()

    def __enter__(self) -> "ExchangeDeadline":
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()


class SourceConnection:
    """One connection to the server at `url`. It follows no redirects: a credential must not travel to another server.

    `ca_file` has the certificates of the authorities that sign the server's, instead of those of the system. `proxy` is
    the URL of an HTTP proxy. Raises OSError for a file that can't be read, and ValueError for a bad URL.
    """

    def __init__(self, url: str, ca_file: str | None = None, proxy: str | None = None):
        options: dict[str, Any] = {"maxsize": 1, "retries": False, "socket_options": _socket_options()}
        options["ssl_context"] = tls_of(url, ca_file)
        manager = urllib3.PoolManager(**options) if proxy is None else urllib3.ProxyManager(proxy, **options)
        self._manager, self._url, self._pool = manager, url.rstrip("/"), manager.connection_from_url(url)
        self._socket = WatchedSocket()
        self._socket.watch(self._pool)

    @property
    def interrupted(self) -> bool:
        """True if it ends each exchange."""
        return self._socket.is_over

    def get(self, path: str, headers: Mapping[str, str], idle: float) -> urllib3.BaseHTTPResponse:
        """Returns the response to a GET of the URL with `path` added. Its body is not read yet.

        The server may be silent for `idle` seconds at a time. Raises Interrupted and what is in `BROKEN`.
        """
        if self.interrupted:
            raise Interrupted
        return self._manager.urlopen(
            "GET",
            self._url + path,
            headers=dict(headers),
            redirect=False,
            retries=False,
            timeout=urllib3.Timeout(connect=CONNECT_SECONDS, read=idle),
            preload_content=False,
            decode_content=False,
        )

    def cut(self) -> None:
        """End the exchange that is going on."""
        self._socket.cut()

    def interrupt(self) -> None:
        """End the exchange that is going on, and refuse later ones."""
        self._socket.end()

    def close(self) -> None:
        """Close the connection."""
        self._pool.close()
        self._manager.clear()
        self._socket.close()


def _socket_options() -> list[tuple[int, int, int]]:
    """Returns the options of a connection that may wait long for an answer: a server that is gone is noticed."""
    asked = {"TCP_KEEPIDLE": KEEP_ALIVE_SECONDS, "TCP_KEEPINTVL": KEEP_ALIVE_SECONDS, "TCP_KEEPCNT": MOST_UNANSWERED}
    known = [
        (socket.IPPROTO_TCP, getattr(socket, name), value) for name, value in asked.items() if hasattr(socket, name)
    ]
    return [*HTTPConnection.default_socket_options, (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1), *known]


def reason(error: BaseException, deadline: ExchangeDeadline) -> str:
    """Returns why an exchange failed, as a part of a sentence."""
    if deadline.passed:
        return "it did not answer in time"
    if isinstance(error, MaxRetryError) and error.reason is not None:
        error = error.reason
    if isinstance(error, ProxyError):
        return "the proxy can't be used"
    if isinstance(error, NameResolutionError):
        return "its name can't be resolved"
    if isinstance(error, NewConnectionError):
        cause = error.__cause__
        return f"it can't be reached: {(getattr(cause, 'strerror', None) or 'no connection').lower()}"
    if isinstance(error, ConnectTimeoutError | ReadTimeoutError):
        return "it did not answer in time"
    if isinstance(error, SSLError | ssl.SSLError):
        return f"TLS failed: {error}"
    return (
        "it cut the connection, or does not speak HTTP; it may want https, or a client certificate, and Writ shows none"
    )
