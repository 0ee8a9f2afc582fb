"""Writes a compiled condition as text, as a policy in the language says it."""

from collections.abc import Iterable

from ....bundles.conditions.references import NOW
from ....bundles.conditions.windows import show_window
from ....bundles.program.clauses import AgainstNow, Atom, Comparison, During, From, Rate, Reference
from ...model.elements import Condition, RateLimit, TimeWindow
from .layout import glued
from .policies import allowlist, comparison, rate, window


def atom_text(atom: Atom) -> str:
    """Returns one condition of a compiled policy in the language, on one line and without `when`.

    >>> from writ.bundles.conditions.operators import Operator
    >>> atom_text(Comparison("context_attrs", "device.kind", Operator.IN, ["a", 1])), atom_text(Rate(5, 60))
    ('context.device.kind in ["a", 1]', 'at most 5 times in 1 minute')
    """
    return " ".join(glued(_tokens(atom)))


def _tokens(atom: Atom) -> Iterable[str]:
    match atom:
        case Comparison(section, key, op, value):
            return comparison(section.removesuffix("_attrs"), Condition(key, op, value))
        case Reference(section, key, op, value_of):
            return comparison(section.removesuffix("_attrs"), Condition(key, op, value_of=str(value_of)))
        case AgainstNow(section, key, op):
            return comparison(section.removesuffix("_attrs"), Condition(key, op, value_of=NOW))
        case During(compiled):
            shown = show_window(compiled)
            days = {"days": tuple(shown["days"])} if "days" in shown else {}
            return window(TimeWindow(**(shown | days)))
        case From(blocks):
            return allowlist(blocks)
        case Rate(limit, window_seconds):
            return rate(RateLimit(limit, window_seconds))
