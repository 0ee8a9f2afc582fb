"""The request that a gateway asks about."""

import re
from functools import lru_cache
from ipaddress import ip_address
from typing import Final

from msgspec import Struct

from .headers import GatewayRefused

_HOST: Final = re.compile(r"([A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?")
_METHOD: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,40}")
_SCHEMES: Final = ("http", "https", "ws", "wss")

PROTO: Final = "X-Forwarded-Proto"
FORWARDED: Final = "X-Forwarded-For"

_WITH_PORT: Final = re.compile(r"([0-9.]+):[0-9]{1,5}|\[([0-9A-Fa-f:.]+)\](?::[0-9]{1,5})?")
"""An address with a port. An IPv6 address stands in brackets then."""
"""The headers that tell the scheme and the client's address."""

MOST_ADDRESS: Final = 64
"""The characters of a client's address. An IPv6 address with a zone has fewer."""

_MOST_READ: Final = 4_096
"""The methods, the hosts and the addresses that a worker remembers to have read, each. PERF: they come again."""


class Original(Struct, frozen=True, gc=False):
    """A request on its way to a backend: its method, its host in lower case without port, and its raw target.

    `scheme` and `address` (that of the client) are None if the gateway does not tell them, or is not trusted to.
    """

    method: str
    host: str
    target: str
    scheme: str | None = None
    address: str | None = None


@lru_cache(_MOST_READ)
def method_of(text: str) -> str:
    """Returns a method (RFC 9110, 9.1). Raises Refused for another text."""
    if _METHOD.fullmatch(text) is None:
        raise GatewayRefused("the original method is not one")
    return text


@lru_cache(_MOST_READ)
def host_of(text: str | None) -> str:
    """Returns the name of a host in lower case, without a port and a last dot, or an empty text. Raises Refused."""
    if text is None:
        return ""
    found = _HOST.fullmatch(text)
    if found is None:
        raise GatewayRefused("the original host is not one")
    return found[1].lower().removesuffix(".")


def scheme_of(found: str | None) -> str | None:
    """Returns the scheme that `X-Forwarded-Proto` tells, if it is there. Raises Refused."""
    if found is None:
        return None
    if found.lower() not in _SCHEMES:
        raise GatewayRefused("`X-Forwarded-Proto` is no scheme")
    return found.lower()


def address_of(found: str | None) -> str | None:
    """Returns the client's address: the last one in `X-Forwarded-For`, which the gateway itself added. Raises Refused.

    Those before it came from the client, who may have invented them.
    """
    if found is None:
        return None
    return _address(found.rpartition(",")[2].strip())


@lru_cache(_MOST_READ)
def _address(sent: str) -> str:
    """Returns an address without its port, which some gateways write. Raises Refused."""
    with_port = _WITH_PORT.fullmatch(sent)
    text = sent if with_port is None else with_port[1] or with_port[2]
    try:
        if len(text) <= MOST_ADDRESS:
            return str(ip_address(text))
    except ValueError:
        pass
    raise GatewayRefused("the last address of `X-Forwarded-For` is not one")
