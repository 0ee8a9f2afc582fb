"""Envoy's `ext_authz` filter with an HTTP service: the check has the original's method, host and path.

The path follows `path_prefix: /gateway/envoy`. Envoy lets a request through on 200 alone. It always sends `Host` and
`Authorization`; the gateway's own credential is added with `headers_to_add`.
"""

from typing import Final

from ..original import FORWARDED, PROTO, Original, address_of, host_of, method_of, scheme_of
from .contract import Contract, GatewayCall

_HOST: Final = ("Host",)
_READ: Final = (*_HOST, PROTO, FORWARDED)


def original(call: GatewayCall) -> Original:
    """Returns the request that Envoy asks about."""
    host, *forwarded = call.headers.several(_READ if call.trusted else _HOST)
    scheme, address = forwarded or (None, None)
    return Original(method_of(call.method), host_of(host), call.below, scheme_of(scheme), address_of(address))


ENVOY = Contract("envoy", original, _READ, None, prefix=True, told_by_headers=False)
