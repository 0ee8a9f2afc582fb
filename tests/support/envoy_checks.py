"""Envoy's checks over gRPC by hand: the bytes of the messages, by the numbers of Envoy's API v3, and a client."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

import pytest

CHECK: Final = "/envoy.service.auth.v3.Authorization/Check"
HEALTH: Final = "/grpc.health.v1.Health/Check"
SECONDS: Final = 30

ID: Final = "writ-decision-id"
DECISION: Final = re.compile("[0-9a-f]{16}-[0-9a-f]+")

_VARINT, _BYTES = 0, 2
_ATTRIBUTES, _REQUEST, _HTTP = 1, 4, 2
_METHOD, _HEADERS, _PATH, _HOST, _HEADER_MAP = 2, 3, 4, 5, 13

Fields = Sequence[tuple[str, str | bytes]]


def field(number: int, value: bytes | str) -> bytes:
    """Returns a field of a message with a length: a text, bytes or another message."""
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | _BYTES) + varint(len(data)) + data


def varint(number: int) -> bytes:
    """Returns a number as protobuf writes it.

    >>> varint(300)
    b'\\xac\\x02'
    """
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes((*found, number))


def fields(message: bytes) -> dict[int, list[Any]]:
    """Returns the values of a message by their numbers: bytes or integers.

    >>> fields(field(2, "x") + field(2, "y"))
    {2: [b'x', b'y']}
    """
    found: dict[int, list[Any]] = {}
    place = 0

    def number() -> int:
        nonlocal place
        value = shift = 0
        while True:
            byte = message[place]
            place += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while place < len(message):
        key = number()
        value: Any = number()
        if key & 7 == _BYTES:
            value, place = message[place : place + value], place + value
        else:
            assert key & 7 == _VARINT
        found.setdefault(key >> 3, []).append(value)
    return found


def check_request(
    method: str, path: str, headers: Fields = (), host: str = "shop.example", joined: bool = False, more: bytes = b""
) -> bytes:
    """Returns a CheckRequest. Headers are raw ones, each as it came, or a map if they are `joined`.

    `more` are bytes of further fields of the HTTP request.
    """
    if joined:
        told = b"".join(field(_HEADERS, field(1, name) + field(2, value)) for name, value in headers)
    else:
        told = field(_HEADER_MAP, b"".join(field(1, field(1, name) + field(3, value)) for name, value in headers))
    http = field(_METHOD, method) + field(_PATH, path) + field(_HOST, host) + told + more
    return field(_ATTRIBUTES, field(_REQUEST, field(_HTTP, http)))


class Answer(NamedTuple):
    """A CheckResponse: the code of its status, the HTTP status of a denial, its headers, its body, and what to remove.

    `told` has the value of each header, with its action and whether it stays if it is empty.
    """

    code: int
    status: int
    told: dict[str, tuple[str, int, bool]]
    body: bytes
    removed: list[str]

    @property
    def headers(self) -> dict[str, str]:
        """Returns the values of the headers."""
        return {name: value for name, (value, _, _) in self.told.items()}


def read_answer(message: bytes) -> Answer:
    """Returns what a CheckResponse says."""
    found = fields(message)
    code = fields(found[1][0]).get(1, [0])[0]
    if 3 in found:
        allowed = fields(found[3][0])
        assert 2 not in found
        return Answer(code, 200, _told(allowed.get(2, [])), b"", [name.decode() for name in allowed.get(5, [])])
    denied = fields(found[2][0])
    status = fields(denied[1][0])[1][0]
    return Answer(code, status, _told(denied.get(2, [])), denied.get(3, [b""])[0], [])


def _told(options: Iterable[bytes]) -> dict[str, tuple[str, int, bool]]:
    found = {}
    for option in map(fields, options):
        header = fields(option[1][0])
        name = header[1][0].decode()
        assert name not in found
        found[name] = (header.get(2, [b""])[0].decode(), option.get(3, [0])[0], bool(option.get(4, [0])[0]))
    name, action, stays = found.pop(ID, ("", 0, False))
    assert name == "" or DECISION.fullmatch(name), "each decision has another name"
    return found | ({ID: ("named", action, stays)} if name else {})


class Envoy:
    """A client of the listener. `metadata` are those of Envoy's `initial_metadata`."""

    def __init__(self, channel: Any, key: str | None) -> None:
        self._check, self._health = channel.unary_unary(CHECK), channel.unary_unary(HEALTH)
        self._key = key

    def send(
        self,
        message: bytes,
        *metadata: tuple[str, str],
        key: str | None = None,
        seconds: float = SECONDS,
        compression: Any = None,
    ) -> Any:
        """Returns the answer to a message. Raises grpc.RpcError."""
        own = key if key is not None else self._key
        sent = metadata if own is None else (("x-writ-authorization", f"Bearer {own}"), *metadata)
        return read_answer(self._check(message, metadata=sent, timeout=seconds, compression=compression))

    def told_id(self, message: bytes, key: str | None = None) -> str | None:
        """Returns the id of the request that the answer to a message has in its metadata, also if it is an error."""
        own = (("x-writ-authorization", f"Bearer {key or self._key}"),)
        call = self._check.future(message, metadata=own, timeout=SECONDS)
        call.exception()
        return dict(call.trailing_metadata()).get("x-request-id")

    def ask(self, method: str, path: str, *headers: tuple[str, str | bytes], host: str = "shop.example") -> Answer:
        """Returns the answer to a check with raw headers."""
        found: Answer = self.send(check_request(method, path, headers, host))
        return found

    def health(self, service: str = "") -> int:
        """Returns the state of a service. Raises grpc.RpcError."""
        (status,) = fields(self._health(field(1, service), timeout=SECONDS))[1]
        return int(status)


@contextmanager
def envoy(port: int, key: str | None, credentials: Any = None, host: str = "127.0.0.1") -> Iterator[Envoy]:
    """A client with its own connection, over TLS if there are `credentials`."""
    grpc = pytest.importorskip("grpc")
    options = (("grpc.use_local_subchannel_pool", 1),)
    address = f"{host}:{port}"
    channel = (
        grpc.insecure_channel(address, options)
        if credentials is None
        else grpc.secure_channel(address, credentials, options)
    )
    with channel:
        yield Envoy(channel, key)


def code_of(error: Any) -> str:
    """Returns the name of an error's code."""
    name: str = error.value.code().name
    return name
