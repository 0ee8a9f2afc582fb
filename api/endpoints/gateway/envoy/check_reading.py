"""Reads Envoy's check: the same question that Envoy asks over HTTP, whatever the transport."""

import re
from collections.abc import Iterable
from typing import Any, Final
from urllib.parse import unquote

from ....http.request_id import id_among
from ....store.environment_ids import DEFAULT
from ..contracts.envoy import ENVOY
from ..dot_segments import has_dot_segment
from ..gateway import CREDENTIAL, GatewayQuestion
from ..headers import GatewayRefused, Headers
from .messages import CHECK_REQUEST, DecodeError

ENVIRONMENT: Final = "x-writ-environment"
"""The metadata with the id of the environment to ask. Without it, the default environment is asked."""

_OWN: Final = (CREDENTIAL.lower(), ENVIRONMENT)
_ENVIRONMENT_ID: Final = re.compile(r"[A-Za-z0-9._~-]{1,64}")
_ADDRESS: Final = re.compile(r"ipv[46]:\[?([0-9A-Fa-f.:]+)(?:%[^\]]*)?\]?:[0-9]+")
_ELSEWHERE: Final = "elsewhere"
"""Stands for a peer without an IP address. No environment trusts it."""


class UnreadableCheck(Exception):
    """The message is no check of an HTTP request. The message of the error is one sentence."""


class JoinedHeaders(Headers, frozen=True):
    """The fields of a request from which the gateway made one value for each name, with commas between several.

    A comma may so hide a field that was sent twice. Only `X-Forwarded-For` is a list: its last address counts.
    """

    def one(self, name: str) -> str | None:
        """See `Headers`. Raises Refused also for a value with a comma."""
        value = super().one(name)
        if value is not None and "," in value and name.lower() != "x-forwarded-for":
            raise GatewayRefused(
                f"`{name}` may have been sent twice; set `encode_raw_headers: true` in Envoy's configuration"
            )
        return value

    def several(self, names: tuple[str, ...]) -> list[str | None]:
        """See `Headers`. Each field is read as `one` does."""
        return [self.one(name) for name in names]


class Check:
    """A check: the id of the request, the names of the fields that the client sent, and what is asked."""

    __slots__ = ("asked", "id", "names")

    def __init__(self, message: bytes, metadata: Iterable[tuple[str, str | bytes]], peer: str) -> None:
        """`peer` is the address as grpcio writes it. Raises Unreadable, and Refused for metadata with two readings."""
        http = _http(message)
        fields = _fields(http)
        self.id, self.names = id_among(fields), [name for name, _ in fields]
        fields.append((b"host", http.host.encode()))
        headers = (Headers if http.header_map.headers else JoinedHeaders).of(fields)
        own = Headers.of((key.encode(), _bytes(value)) for key, value in metadata if key in _OWN)
        environment = own.one(ENVIRONMENT) or DEFAULT
        if _ENVIRONMENT_ID.fullmatch(environment) is None:
            raise GatewayRefused(f"`{ENVIRONMENT}` is no id of an environment")
        strays = has_dot_segment(http.path)
        self.asked = GatewayQuestion(
            ENVOY, environment, http.path, http.method, headers, address_of_peer(peer), own, strays, self.id
        )


def address_of_peer(peer: str) -> str:
    """Returns the address of a peer.

    >>> address_of_peer("ipv4:10.0.0.7:4711"), address_of_peer("ipv6:%5B::1%5D:4711"), address_of_peer("unix:")
    ('10.0.0.7', '::1', 'elsewhere')
    """
    found = _ADDRESS.fullmatch(unquote(peer))
    return _ELSEWHERE if found is None else found[1]


def _http(message: bytes) -> Any:
    """Returns the HTTP attributes. Envoy leaves `query` and `fragment` empty: both are part of the path."""
    try:
        found = CHECK_REQUEST.FromString(message).attributes.request.http
    except DecodeError:
        raise UnreadableCheck("the message is no CheckRequest") from None
    if found.query or found.fragment:
        raise UnreadableCheck("the query and the fragment belong to the path")
    if found.headers and found.header_map.headers:
        raise UnreadableCheck("the headers are there twice, as `headers` and as `header_map`")
    return found


def _fields(http: Any) -> list[tuple[bytes, bytes]]:
    """Returns the client's header fields, without the pseudo-headers of HTTP/2."""
    if http.header_map.headers:
        found = [(one.key.lower().encode(), one.raw_value or one.value.encode()) for one in http.header_map.headers]
    else:
        found = [(one.key.lower().encode(), one.value.encode()) for one in http.headers]
    return [field for field in found if not field[0].startswith(b":")]


def _bytes(value: str | bytes) -> bytes:
    return value if isinstance(value, bytes) else value.encode()
