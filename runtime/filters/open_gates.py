"""Names the conditions that a filter leaves to the evaluation (F2, F7)."""

from collections.abc import Collection
from typing import Final

from ...bundles.program.clauses import AgainstNow, Atom, During, From, Rate, context_keys

SHOWN_KEYS: Final = 5
"""The keys of the context that a reason names. It counts the others."""

_INSTANTS, _TIMES, _ADDRESSES, _RATES = "comparisons with `now`", "time windows", "IP addresses", "rate limits"


def note(gates: Collection[Atom]) -> str:
    """Returns the part of a reason that warns of open gates, or an empty string if there are none.

    >>> from writ.bundles.conditions.operators import Operator
    >>> from writ.bundles.program.clauses import Comparison
    >>> note([Rate(5, 60), Comparison("context_attrs", "mfa", Operator.EQ, True)])
    '; it may show more than an evaluation allows, since it leaves open: `context.mfa`, rate limits'
    """
    if not gates:
        return ""
    return "; it may show more than an evaluation allows, since it leaves open: " + ", ".join(_names(gates))


def _names(gates: Collection[Atom]) -> list[str]:
    keys = sorted({key for gate in gates for key in context_keys(gate)})
    names = [f"`context.{key}`" for key in keys[:SHOWN_KEYS]]
    if len(keys) > SHOWN_KEYS:
        names.append(f"{len(keys) - SHOWN_KEYS} more attributes of the context")
    for kind, name in ((AgainstNow, _INSTANTS), (During, _TIMES), (From, _ADDRESSES), (Rate, _RATES)):
        if any(isinstance(gate, kind) for gate in gates):
            names.append(name)
    return names
