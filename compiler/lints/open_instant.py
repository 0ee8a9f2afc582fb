"""The lint `open-instant`: a filter leaves a comparison with `now` open, unless the search decides its gates (X5)."""

from collections.abc import Iterator, Sequence

from ...bundles.conditions.references import NOW
from ...bundles.wording import quoted
from ..checks.conditions_of import conditions_of
from ..checks.draft import Draft
from ..diagnostics.diagnostic import Finding
from .prepared_policy import PreparedPolicy

_HELP = "ask with `options.gates` as `decide`, or check each resource with an evaluation"


def open_instant(_draft: Draft, policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Warns about each policy that compares an attribute of the resource with `now`, once."""
    for prepared in policies:
        for section, condition, path in conditions_of(prepared.policy, prepared.index):
            if section == "resource_attrs" and condition.value_of == NOW:
                allows = prepared.policy.effect == "ALLOW"
                counts = "counts the comparison as true" if allows else "leaves this DENY out"
                message = f"the plain filter does not compare {quoted(condition.key)} with `now`: it {counts}"
                yield Finding("open-instant", message, (*path, "value_of"), _HELP, severity="warning")
                break
