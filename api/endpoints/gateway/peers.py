"""The peers that an environment trusts to tell who asks, and about which request."""

from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from typing import Final

from ....bundles.conditions.addresses import parse_block

MOST_PEERS: Final = 4_096
"""The answers that a worker remembers."""

UNIX: Final = "unix"
"""Stands in `trusted_proxies` for every peer on a Unix socket."""


@lru_cache(MOST_PEERS)
def is_trusted(peer: str, trusted: tuple[str, ...]) -> bool:
    """Returns whether the address of a peer is among addresses and blocks; an empty address is that of a Unix socket.

    An IPv4-mapped IPv6 address or block counts as its IPv4 one (C9). PERF: a gateway asks from the same few addresses.
    """
    if not peer:
        return UNIX in trusted
    try:
        address = ip_address(peer.partition("%")[0])
    except ValueError:
        return False
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return any(address in parse_block(one) for one in trusted if one != UNIX)
