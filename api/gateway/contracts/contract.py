"""What a contract with a gateway is, and the headers that several gateways send."""

from collections.abc import Callable
from typing import NamedTuple

from ..headers import Headers
from ..original import Original, address_of, host_of, method_of, scheme_of


class GatewayCall(NamedTuple):
    """A gateway's request: its method, its fields, and its raw target below the path of the contract.

    `trusted` says whether its peer is one of the environment's trusted proxies.
    """

    method: str
    headers: Headers
    below: str
    trusted: bool


class Contract(NamedTuple):
    """How a gateway asks.

    `original` returns the request that it asks about; it raises Refused. `prefix` says that the original path follows
    the path of the contract. `told_by_headers` says that headers tell the request, so that the peer must be trusted.
    """

    name: str
    original: Callable[[GatewayCall], Original]
    prefix: bool = False
    told_by_headers: bool = True


def forwarded(call: GatewayCall) -> Original:
    """Returns the request that the `X-Forwarded-` headers tell."""
    headers = call.headers
    return Original(
        method_of(headers.needed("X-Forwarded-Method")),
        host_of(headers.needed("X-Forwarded-Host")),
        headers.needed("X-Forwarded-Uri"),
        scheme_of(headers),
        address_of(headers),
    )
