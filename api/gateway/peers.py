"""The peers that an environment trusts to tell who asks, and about which request."""

from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

UNIX: Final = "unix"
"""Stands in `trusted_proxies` for every peer on a Unix socket."""


def is_trusted(peer: str, trusted: Sequence[str]) -> bool:
    """Whether the address of a peer is among addresses and blocks; an empty address is that of a Unix socket.

    An IPv4-mapped IPv6 address counts as its IPv4 one.
    """
    if not peer:
        return UNIX in trusted
    try:
        address = ip_address(peer.partition("%")[0])
    except ValueError:
        return False
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return any(address in block for block in _blocks(tuple(trusted)))


@lru_cache(64)
def _blocks(trusted: tuple[str, ...]) -> tuple[IPv4Network | IPv6Network, ...]:
    return tuple(ip_network(one) for one in trusted if one != UNIX)
