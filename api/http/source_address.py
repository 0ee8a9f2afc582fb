"""Where a request comes from: the address of the socket's other end, whatever its headers say."""

from ipaddress import IPv4Address, IPv6Network, ip_address

import falcon.asgi

_NETWORK_BITS = 64


def source_address(req: falcon.asgi.Request) -> str:
    """The IP address of the peer as text, that of the nearest proxy where there is one; empty where it is not known.

    Falcon's `remote_addr` reads `Forwarded` and its kin on the way, which anybody may send, and malformed.
    """
    return next(iter(req.scope.get("client") or ()), "")


def network_of(address: str) -> str:
    """Whoever is counted as one: an IPv4 address, an IPv6 network of 64 bits; empty where the address can't be read.

    Whoever has an IPv6 address has as many as there are in its network.

    >>> network_of("::ffff:192.0.2.1"), network_of("2001:db8::ffff:2"), network_of("fe80::1%eth0")
    ('192.0.2.1', '2001:db8::/64', 'fe80::/64')
    """
    try:
        found = ip_address(address)
    except ValueError:
        return ""
    if isinstance(found, IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(IPv6Network((int(found), _NETWORK_BITS), strict=False))
