"""One address of each class of addresses that allowlists distinguish (C9)."""

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address

from ...bundles.conditions.addresses import parse_block

_MOST = {4: 2**32 - 1, 6: 2**128 - 1}


def sampled_addresses(blocks: Iterable[str]) -> list[str]:
    """Returns an address in each part of the lines of IPv4 and IPv6 addresses into which blocks cut them.

    >>> sampled_addresses(["10.0.0.0/8"])
    ['10.0.0.0', '0.0.0.0', '11.0.0.0', '::']
    """
    starts: dict[tuple[int, int], None] = {}
    ends: dict[tuple[int, int], None] = {(4, 0): None, (6, 0): None}
    for block in map(parse_block, blocks):
        starts[block.version, int(block.network_address)] = None
        after = int(block.broadcast_address) + 1
        if after <= _MOST[block.version]:
            ends[block.version, after] = None
    return [
        str(IPv4Address(number) if kind == 4 else IPv6Address(number)) for kind, number in {**starts, **_v4_first(ends)}
    ]


def _v4_first(ends: Iterable[tuple[int, int]]) -> dict[tuple[int, int], None]:
    return dict.fromkeys(sorted(ends))
