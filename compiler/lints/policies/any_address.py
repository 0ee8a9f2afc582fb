"""The lint `any-address`: an allowlist with a block of all addresses of a family (C9)."""

from collections.abc import Iterator, Sequence

from ....bundles.conditions.addresses import parse_block
from ....bundles.wording import quoted
from ...checks.draft import Draft
from ...diagnostics.diagnostic import Finding
from ..prepared_policy import PreparedPolicy


def any_address(_draft: Draft, policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Warns about each block that contains every address of its family."""
    for prepared in policies:
        conditions = prepared.policy.conditions
        for place, block in enumerate((conditions and conditions.ip_allowlist) or ()):
            found = parse_block(block)
            if found.prefixlen == 0:
                message = f"{quoted(block)} contains every IPv{found.version} address, and none of the other family"
                help_text = "name the blocks that are meant; to allow any address, leave the allowlist out"
                path = ("policies", prepared.index, "conditions", "ip_allowlist", place)
                yield Finding("any-address", message, path, help_text, severity="warning")
