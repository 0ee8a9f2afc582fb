"""nginx's `auth_request`: a subrequest whose headers the configuration sets. 2xx lets through, 401 and 403 refuse.

Its configuration sets `X-Original-Method`, `X-Original-URI` and `X-Original-Host`, and may set `X-Forwarded-Proto` and
`X-Forwarded-For` (to `$remote_addr`).
"""

from ..original import Original, address_of, host_of, method_of, scheme_of
from .contract import Contract, GatewayCall


def original(call: GatewayCall) -> Original:
    """Returns the request that nginx asks about."""
    headers = call.headers
    return Original(
        method_of(headers.needed("X-Original-Method")),
        host_of(headers.one("X-Original-Host")),
        headers.needed("X-Original-URI"),
        scheme_of(headers),
        address_of(headers),
    )


NGINX = Contract("nginx", original)
