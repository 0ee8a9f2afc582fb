"""Turns a comparison with a value of the subject round, so that it is a condition on unknown subjects (X4)."""

from typing import Final

from ...bundles.conditions.operators import Operator
from ...bundles.conditions.references import GROUPS, is_comparable
from ...bundles.conditions.values import Json
from ...bundles.program.clauses import Reference
from ..filters.referred_values import Constant, constant_of

_TURNED: Final[dict[Operator, Operator]] = {
    Operator.EQ: Operator.EQ,
    Operator.NE: Operator.NE,
    Operator.LT: Operator.GT,
    Operator.LTE: Operator.GTE,
    Operator.GT: Operator.LT,
    Operator.GTE: Operator.LTE,
    Operator.IN: Operator.HAS,
    Operator.HAS: Operator.IN,
    Operator.HAS_ANY: Operator.HAS_ANY,
}
"""The operator of `b op a` for each `a op b` that has one. """


def on_subjects(atom: Reference, value: Json) -> tuple[Constant, ...] | None:
    """Returns conditions on the subjects for which an ALLOW's comparison may hold, or None if it holds for no subject.

    `value` is the one that the comparison takes from the request. It may leave a condition out, but never excludes a
    subject for which the comparison holds.
    """
    if atom.section == "subject_attrs":
        if atom.value_of == GROUPS:
            return ()
        known = constant_of(atom, value)
        return None if known is None else (known,)
    if value is None:
        return None
    op = _TURNED.get(atom.op)
    if op is None or atom.value_of == GROUPS:
        return ()
    if not is_comparable(op, value):
        return None
    turned = Reference("subject_attrs", atom.value_of.key, op, atom.value_of)
    known = constant_of(turned, value)
    return () if known is None else (known,)
