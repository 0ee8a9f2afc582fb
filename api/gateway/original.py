"""The request that a gateway asks about."""

import re
from ipaddress import ip_address
from typing import Final, NamedTuple

from .headers import Headers, Refused

_HOST: Final = re.compile(r"([A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?")
_METHOD: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,40}")
_SCHEMES: Final = ("http", "https", "ws", "wss")


class Original(NamedTuple):
    """A request on its way to a backend: its method, its host in lower case without port, and its raw target.

    `scheme` and `address` (that of the client) are None if the gateway does not tell them, or is not trusted to.
    """

    method: str
    host: str
    target: str
    scheme: str | None = None
    address: str | None = None


def method_of(text: str) -> str:
    """Returns a method (RFC 9110, 9.1). Raises Refused for another text."""
    if _METHOD.fullmatch(text) is None:
        raise Refused("the original method is not one")
    return text


def host_of(text: str | None) -> str:
    """Returns the name of a host in lower case, without a port and a last dot, or an empty text. Raises Refused."""
    if text is None:
        return ""
    found = _HOST.fullmatch(text)
    if found is None:
        raise Refused("the original host is not one")
    return found[1].lower().removesuffix(".")


def scheme_of(headers: Headers) -> str | None:
    """Returns the scheme that `X-Forwarded-Proto` tells. Raises Refused."""
    found = headers.one("X-Forwarded-Proto")
    if found is None:
        return None
    if found.lower() not in _SCHEMES:
        raise Refused("`X-Forwarded-Proto` is no scheme")
    return found.lower()


def address_of(headers: Headers) -> str | None:
    """Returns the client's address: the last one in `X-Forwarded-For`, which the gateway itself added. Raises Refused.

    Those before it came from the client, who may have invented them.
    """
    found = headers.one("X-Forwarded-For")
    if found is None:
        return None
    last = found.rpartition(",")[2].strip()
    try:
        return str(ip_address(last))
    except ValueError:
        raise Refused("the last address of `X-Forwarded-For` is not one") from None
