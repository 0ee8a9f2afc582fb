"""Where a request comes from: the address of the socket's other end, whatever its headers say."""

import falcon.asgi


def source_address(req: falcon.asgi.Request) -> str:
    """The IP address of the peer as text, that of the nearest proxy where there is one; empty where it is not known.

    Falcon's `remote_addr` reads `Forwarded` and its kin on the way, which anybody may send, and malformed.
    """
    return next(iter(req.scope.get("client") or ()), "")
