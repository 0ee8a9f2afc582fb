"""Reads Envoy's check: the same question that Envoy asks over HTTP, whatever the transport."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final
from urllib.parse import unquote

from ....http.field_values import field_value
from ....http.request_id import FIELD, id_among, made_id
from ....store.environment_ids import DEFAULT
from ..asked import GatewayQuestion
from ..contracts.envoy import ENVOY
from ..dot_segments import has_dot_segment
from ..gateway import CREDENTIAL
from ..header_names import are_plain, is_withheld, read_as
from ..headers import GatewayRefused, Headers
from ..peers import MOST_PEERS
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


class JoinedHeaders(Headers, frozen=True, gc=False):
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
        http, fields, kind = _http(message)
        self.names = tuple([name for name, _ in fields])
        self.id = id_among(fields) if FIELD in self.names else made_id()
        if not are_plain(self.names):
            fields = _without_other_names(fields)
        fields.append((b"host", http.host.encode()))
        own = Headers.of_lower([(key.encode(), field_value(_bytes(value))) for key, value in metadata if key in _OWN])
        environment = own.one(ENVIRONMENT) or DEFAULT
        if _ENVIRONMENT_ID.fullmatch(environment) is None:
            raise GatewayRefused(f"`{ENVIRONMENT}` is no id of an environment")
        path, headers, address = http.path, kind.of_lower(fields), address_of_peer(peer)
        self.asked = GatewayQuestion(
            ENVOY, environment, path, http.method, headers, address, own, has_dot_segment(path), self.id
        )


@lru_cache(MOST_PEERS)
def address_of_peer(peer: str) -> str:
    """Returns the address of a peer.

    >>> address_of_peer("ipv4:10.0.0.7:4711"), address_of_peer("ipv6:%5B::1%5D:4711"), address_of_peer("unix:")
    ('10.0.0.7', '::1', 'elsewhere')
    """
    found = _ADDRESS.fullmatch(unquote(peer))
    return _ELSEWHERE if found is None else found[1]


def _http(message: bytes) -> tuple[Any, list[tuple[bytes, bytes]], type[Headers]]:
    """Returns the HTTP attributes, the client's header fields, and what reads these.

    The pseudo-headers of HTTP/2 are left out. Envoy leaves `query` and `fragment` empty: both are part of the path.
    """
    try:
        found = CHECK_REQUEST.FromString(message).attributes.request.http
    except DecodeError:
        raise UnreadableCheck("the message is no CheckRequest") from None
    if found.query or found.fragment:
        raise UnreadableCheck("the query and the fragment belong to the path")
    raw, joined = found.header_map.headers, found.headers
    if not raw:
        fields = [(key, field_value(one.value.encode())) for one in joined if not (key := _name(one)).startswith(b":")]
        return found, fields, JoinedHeaders
    if joined:
        raise UnreadableCheck("the headers are there twice, as `headers` and as `header_map`")
    sent = [(_name(one), one.raw_value or one.value.encode()) for one in raw]
    fields = [(key, field_value(value)) for key, value in sent if not key.startswith(b":")]
    return found, fields, Headers


def _without_other_names(fields: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Returns the fields without those that only some backend would read as a gateway's: the answer removes them."""
    return [(name, value) for name, value in fields if name == read_as(name) or not is_withheld(name)]


def _name(field: Any) -> bytes:
    name: bytes = field.key.lower().encode()
    return name


def _bytes(value: str | bytes) -> bytes:
    return value if isinstance(value, bytes) else value.encode()
