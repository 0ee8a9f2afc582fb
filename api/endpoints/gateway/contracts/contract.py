"""The contract with a gateway, and the headers that several gateways send."""

from collections.abc import Callable
from typing import Final, NamedTuple

from msgspec import Struct

from ..headers import Headers, needed
from ..original import FORWARDED, PROTO, Original, address_of, host_of, method_of, scheme_of

_METHOD: Final = "X-Forwarded-Method"
_HOST: Final = "X-Forwarded-Host"
_TARGET: Final = "X-Forwarded-Uri"
_READ: Final = (_METHOD, _HOST, _TARGET, PROTO, FORWARDED)


class GatewayCall(Struct, frozen=True, gc=False):
    """A gateway's request: its method, its fields, and its raw target below the path of the contract.

    `trusted` says whether its peer is one of the environment's trusted proxies.
    """

    method: str
    headers: Headers
    below: str
    trusted: bool


class Contract(NamedTuple):
    """The contract with a gateway: the form of its checks.

    `original` returns the request that it asks about; it raises Refused. `prefix` says that the original path follows
    the path of the contract. `told_by_headers` says that headers tell the request, so that the peer must be trusted.
    `reads` are the headers that `original` reads. It reads nothing else of a call but its method, and whether its peer
    is trusted. `target` is the one with the raw target, or None if that is below the path of the contract.
    """

    name: str
    original: Callable[[GatewayCall], Original]
    reads: tuple[str, ...]
    target: str | None
    prefix: bool = False
    told_by_headers: bool = True


def forwarded(call: GatewayCall) -> Original:
    """Returns the request that the `X-Forwarded-` headers tell."""
    method, host, target, scheme, address = call.headers.several(_READ)
    return Original(
        method_of(needed(_METHOD, method)),
        host_of(needed(_HOST, host)),
        needed(_TARGET, target),
        scheme_of(scheme),
        address_of(address),
    )


def forwarding(name: str) -> Contract:
    """Returns the contract with a gateway that tells the request by `X-Forwarded-` headers."""
    return Contract(name, forwarded, _READ, _TARGET)
