"""HTTP by hand, for what a well-behaved client never sends."""

import socket
import ssl
from dataclasses import dataclass

import msgspec

from tests.support.processes import has_read
from tests.support.waiting import PATIENCE_SECONDS, wait_until

_PIECE = 65_536


@dataclass(frozen=True)
class Answer:
    """One response as it came."""

    status: int
    reason: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, object]:
        """The body, which must be a JSON object."""
        value = msgspec.json.decode(self.body)
        assert isinstance(value, dict)
        return value


class RawConnection:
    """A TCP connection to the service; header names in answers are lower-case."""

    def __init__(
        self, host: str, port: int, trust: ssl.SSLContext | None = None, session: ssl.SSLSession | None = None
    ) -> None:
        """Connect; over TLS where there is something to `trust` a certificate by. Resume the TLS `session`, if any."""
        self.socket = socket.create_connection((host, port), PATIENCE_SECONDS)
        if trust is not None:
            self.socket = trust.wrap_socket(self.socket, server_hostname=host, session=session)
        self._received = b""

    def __enter__(self) -> "RawConnection":
        return self

    def __exit__(self, _kind: object, _error: object, _way: object) -> None:
        self.socket.close()

    def send(self, data: bytes) -> None:
        """Send all of `data`."""
        self.socket.sendall(data)

    def send_read(self, data: bytes) -> None:
        """Send all of `data`, and wait until the server has read it."""
        self.send(data)
        ports = self.socket.getpeername()[1], self.socket.getsockname()[1]
        assert wait_until(lambda: has_read(*ports)), "the server does not read"

    def answer(self, to_head: bool = False) -> Answer:
        """The next response; one to a HEAD request has no body."""
        while b"\r\n\r\n" not in self._received:
            self._received += self._piece()
        head, _, rest = self._received.partition(b"\r\n\r\n")
        status_line, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        self._received = rest
        length = 0 if to_head else int(headers.get("content-length", "0"))
        body = bytearray(self._received)
        while len(body) < length:
            body += self._piece()
        self._received = bytes(body[length:])
        _, status, reason = status_line.split(" ", 2)
        return Answer(int(status), reason, headers, bytes(body[:length]))

    def is_closed(self) -> bool:
        """Wait for the server to close; False where it sends something instead."""
        try:
            return not self._received and not self.socket.recv(_PIECE)
        except ConnectionResetError:
            return True

    def _piece(self) -> bytes:
        piece = self.socket.recv(_PIECE)
        if not piece:
            raise EOFError(f"the server closed after {self._received!r}")
        return piece


def request(
    method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None, key: str | None = None
) -> bytes:
    """The bytes of a request, with a `Content-Length` and the JSON content type unless `headers` says else."""
    fields = {"Host": "test", "Content-Type": "application/json", "Content-Length": str(len(body))}
    if key is not None:
        fields["Authorization"] = f"Bearer {key}"
    fields |= headers or {}
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"{method} {path} HTTP/1.1\r\n{lines}\r\n".encode("latin-1") + body
