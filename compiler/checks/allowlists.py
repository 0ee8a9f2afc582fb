"""Checks the address allowlists of policies (C9)."""

from collections.abc import Iterator

from ...bundles.conditions.addresses import parse_block
from ...bundles.wording import quoted
from ..diagnostics.diagnostic import Finding
from .conditions.constants import too_long_list
from .draft import Draft


def check_allowlists(draft: Draft) -> Iterator[Finding]:
    """Finds empty and too long allowlists, and elements that are neither an IP address nor a CIDR block."""
    for index, policy in enumerate(draft.model.policies):
        blocks = policy.conditions.ip_allowlist if policy.conditions else None
        if blocks is None:
            continue
        path = ("policies", index, "conditions", "ip_allowlist")
        if not blocks:
            yield Finding("empty", "an empty allowlist contains no address", path, "leave it out to allow any address")
        yield from too_long_list(len(blocks), path, draft.limits.list_constant_elements)
        for place, block in enumerate(blocks):
            try:
                found = parse_block(block)
            except ValueError as ex:
                yield Finding("bad-address", str(ex), (*path, place))
                continue
            if _has_leading_zero(block):
                message = f"the prefix length of {quoted(block)} begins with a zero, which makes it octal elsewhere"
                yield Finding("bad-address", message, (*path, place), f"write {quoted(str(found))}")


def _has_leading_zero(block: str) -> bool:
    """Returns whether a prefix length has a needless zero. An engine reads it, since a store may have one."""
    _, _, length = block.partition("/")
    return len(length) > 1 and length.startswith("0")
