"""nginx's `auth_request`: a subrequest whose headers the configuration sets. 2xx lets through, 401 and 403 refuse.

Its configuration sets `X-Original-Method`, `X-Original-URI` and `X-Original-Host`, and may set `X-Forwarded-Proto` and
`X-Forwarded-For` (to `$remote_addr`).
"""

from typing import Final

from ..headers import needed
from ..original import FORWARDED, PROTO, Original, address_of, host_of, method_of, scheme_of
from .contract import Contract, GatewayCall

_METHOD: Final = "X-Original-Method"
_TARGET: Final = "X-Original-URI"
_READ: Final = (_METHOD, "X-Original-Host", _TARGET, PROTO, FORWARDED)


def original(call: GatewayCall) -> Original:
    """Returns the request that nginx asks about."""
    method, host, target, scheme, address = call.headers.several(_READ)
    return Original(
        method_of(needed(_METHOD, method)),
        host_of(host),
        needed(_TARGET, target),
        scheme_of(scheme),
        address_of(address),
    )


NGINX = Contract("nginx", original, _READ, _TARGET)
