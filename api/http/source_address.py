"""The address that a request comes from: that of the socket, whatever the headers say."""

from ipaddress import IPv4Address, IPv6Network, ip_address

import falcon.asgi

_NETWORK_BITS = 64


def source_address(req: falcon.asgi.Request) -> str:
    """Returns the IP address of the peer, which may be a proxy, or an empty text if it is not known.

    Falcon's `remote_addr` also parses headers such as `Forwarded`, which any client may send, and malformed.
    """
    return next(iter(req.scope.get("client") or ()), "")


def network_of(address: str) -> str:
    """Returns the network that counts as one client: an IPv4 address, or an IPv6 network of 64 bits.

    A client with one IPv6 address has all addresses of its network. The result is empty if the address can't be read.

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
