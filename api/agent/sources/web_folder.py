"""A published folder on a web server, read as `published` reads the folders of fsspec."""

from http import HTTPStatus
from typing import Final

from urllib3 import BaseHTTPResponse
from urllib3.util import make_headers, parse_url

from ...http.outgoing.bounded_exchange import BROKEN
from .bundle_source import Interrupted, SourceError
from .response_body import PIECE
from .source_connection import ExchangeDeadline, SourceConnection, reason

_SECONDS: Final = 60.0
"""The longest time of one exchange in seconds. An exchange is a piece of a bundle at most."""


class WebFolder:
    """The folder at `url`, over HTTP or HTTPS. It follows no redirects. The other parameters are those of
    `SourceConnection`.

    A user and a password in the URL are sent as Basic credentials. Raises ValueError for a URL that can't be used, and
    OSError for a file of authorities that can't be read.
    """

    def __init__(self, url: str, ca_file: str | None, proxy: str | None):
        parsed = parse_url(url)
        if not parsed.host or parsed.query or parsed.fragment:
            raise ValueError("the URL of a published folder has a host, and perhaps a port and a path, and no query")
        self.path = (parsed.path or "").rstrip("/")
        self._headers = {"User-Agent": "writ-agent", "Accept-Encoding": "identity"}
        if parsed.auth:
            self._headers |= make_headers(basic_auth=parsed.auth)
        self._connection = SourceConnection(f"{parsed.scheme}://{parsed.netloc}", ca_file, proxy)

    def cat_file(self, path: str, start: int, end: int) -> bytes:
        """Returns the bytes of a file from `start` to `end`, or to its end. Raises FileNotFoundError, SourceError."""
        headers = {**self._headers, "Range": f"bytes={start}-{end - 1}"}
        with ExchangeDeadline(self._connection, _SECONDS) as deadline:
            try:
                response = self._connection.get(path, headers, _SECONDS)
                try:
                    return _part(response, path, start, end)
                finally:
                    response.close()  # a connection that the response has given back stays open
            except (Interrupted, FileNotFoundError):
                raise
            except BROKEN as ex:
                if self._connection.interrupted:
                    raise Interrupted from None
                raise SourceError(reason(ex, deadline), is_away=True) from None

    def interrupt(self) -> None:
        """End a running call, and refuse later ones."""
        self._connection.interrupt()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def _part(response: BaseHTTPResponse, path: str, start: int, end: int) -> bytes:
    """Returns the bytes of a file from `start` to `end` from an answer. Raises FileNotFoundError, SourceError."""
    if response.status == HTTPStatus.NOT_FOUND:
        raise FileNotFoundError(path)
    if response.status == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
        return b""
    skipped = _skipped(response.status, response.headers.get("Content-Range", ""), start)
    found = bytearray()
    for piece in response.stream(PIECE, decode_content=False):
        found += piece
        if len(found) > skipped + end - start:
            break
    else:
        response.release_conn()
    return bytes(found[skipped : skipped + end - start])


def _skipped(status: int, part: str, start: int) -> int:
    """Returns how many bytes of an answer come before `start`: a server may send all of a file. Raises SourceError."""
    if status == HTTPStatus.OK:
        return start
    if status == HTTPStatus.PARTIAL_CONTENT and part.startswith(f"bytes {start}-"):
        return 0
    if status == HTTPStatus.PARTIAL_CONTENT:
        raise SourceError("it sent another part than the one that was asked for")
    if HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST:
        raise SourceError("it redirects elsewhere, which is refused; give the address that it redirects to")
    raise SourceError(f"it answered {status}", is_away=status >= HTTPStatus.INTERNAL_SERVER_ERROR)
