"""IP addresses and CIDR blocks. An IPv4-mapped IPv6 address counts as its IPv4 address (rule C9)."""

from bisect import bisect_right
from collections.abc import Iterable
from functools import lru_cache
from ipaddress import (
    AddressValueError,
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    NetmaskValueError,
    collapse_addresses,
    ip_address,
    ip_network,
)
from typing import TypeAlias

from .values import Json

Address: TypeAlias = IPv4Address | IPv6Address
Block: TypeAlias = IPv4Network | IPv6Network

_LONGEST_ADDRESS = len("0000:0000:0000:0000:0000:ffff:255.255.255.255")
_LONGEST_LENGTH = len("128")
_MAPPED = IPv6Network("::ffff:0:0/96")
_REMEMBERED_ADDRESSES = 4_096


def parse_block(text: str) -> Block:
    """Returns the block of an address or a CIDR block in an allowlist.

    Raises ValueError, with one sentence, for any other text (C9). That includes a block with host bits, a zone
    (`%eth0`), and a netmask instead of a prefix length.

    >>> parse_block("::ffff:10.0.0.0/104"), parse_block("10.1.2.3")
    (IPv4Network('10.0.0.0/8'), IPv4Network('10.1.2.3/32'))
    """
    if "%" in text:
        raise ValueError(f"`{text}` names a zone, but an allowlist can't contain zones")
    base, slash, length = text.partition("/")
    if slash and not (length.isascii() and length.isdigit() and len(length) <= _LONGEST_LENGTH):
        raise ValueError(f"the prefix length of `{text}` is not a number")
    try:
        block = ip_network((ip_address(base), int(length)) if slash else ip_address(base), strict=False)
    except (AddressValueError, NetmaskValueError, ValueError):
        raise ValueError(f"`{text}` is neither an IP address nor a CIDR block") from None
    if slash and block.network_address != ip_address(base):
        raise ValueError(f"`{text}` has bits beyond its prefix; the block is `{block}`")
    if isinstance(block, IPv6Network) and block.subnet_of(_MAPPED):
        return IPv4Network((int(block.network_address) & 0xFFFF_FFFF, block.prefixlen - 96))
    return block


def merge_blocks(blocks: Iterable[Block]) -> tuple[Block, ...]:
    """Returns the fewest blocks with the same addresses, IPv4 first, in the order of their addresses.

    >>> [str(block) for block in merge_blocks(map(parse_block, ["10.0.1.0/24", "10.0.0.0/24", "10.0.0.1"]))]
    ['10.0.0.0/23']
    """
    blocks = list(blocks)
    v4 = collapse_addresses(block for block in blocks if isinstance(block, IPv4Network))
    v6 = collapse_addresses(block for block in blocks if isinstance(block, IPv6Network))
    return (*v4, *v6)


@lru_cache(_REMEMBERED_ADDRESSES)
def _parse_address(text: str) -> tuple[int, int] | None:
    try:
        address = ip_address(text)
    except ValueError:
        return None
    if isinstance(address, IPv6Address):
        if address.scope_id is not None:
            return None
        address = address.ipv4_mapped or address
    return address.version, int(address)


def read_address(value: Json) -> tuple[int, int] | None:
    """Returns the address that a request sent, as (IP version, number), or None if it can't be read (C7, C9).

    >>> read_address("::ffff:10.0.0.1") == read_address("10.0.0.1"), read_address("10.0.0.1/8")
    (True, None)
    """
    # The length is checked first, so that a caller can't fill the cache with long texts.
    if not isinstance(value, str) or len(value) > _LONGEST_ADDRESS:
        return None
    return _parse_address(value)


class AddressSet:
    """A set of the addresses in some blocks, searched by bisection."""

    __slots__ = ("_ends", "_starts")

    def __init__(self, blocks: Iterable[Block]):
        merged = merge_blocks(blocks)
        self._starts = [(block.version, int(block.network_address)) for block in merged]
        self._ends = [(block.version, int(block.broadcast_address)) for block in merged]

    def __contains__(self, address: tuple[int, int]) -> bool:
        """Returns whether the set has an address that `read_address` returned."""
        place = bisect_right(self._starts, address) - 1
        return place >= 0 and address <= self._ends[place]
