"""Envoy's `ext_authz` filter with an HTTP service: the check has the original's method, host and path.

The path follows `path_prefix: /gateway/envoy`. Envoy lets a request through on 200 alone. It always sends `Host` and
`Authorization`; the gateway's own credential is added with `headers_to_add`.
"""

from ..original import Original, address_of, host_of, method_of, scheme_of
from .contract import Contract, GatewayCall


def original(call: GatewayCall) -> Original:
    """Returns the request that Envoy asks about."""
    headers = call.headers
    return Original(
        method_of(call.method),
        host_of(headers.one("Host")),
        call.below,
        scheme_of(headers) if call.trusted else None,
        address_of(headers) if call.trusted else None,
    )


ENVOY = Contract("envoy", original, prefix=True, told_by_headers=False)
