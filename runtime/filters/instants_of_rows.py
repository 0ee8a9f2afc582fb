"""The comparisons of a rule with `now` as comparisons with a known instant, while the resource is unknown (X5)."""

from collections.abc import Iterable
from typing import NamedTuple

from ...bundles.conditions.operators import Operator
from ...bundles.conditions.trees.instant_comparisons import OPPOSITE, InstantComparison, instant_of_text
from ...bundles.program.clauses import AgainstNow, Effect
from .referred_values import Constant


class AtInstant(NamedTuple):
    """The comparisons that remain of a rule: all that are `needed` must hold, and none that are `excepted` may."""

    needed: tuple[Constant, ...]
    excepted: tuple[Constant, ...]


def comparisons_at(
    atoms: Iterable[AgainstNow], effect: Effect, instant: int | None, type_name: str
) -> AtInstant | None:
    """Returns the comparisons with an instant, or None if one of them is false for every resource.

    In a DENY, an attribute that can't be read counts as one that compares so. If the instant itself can't be read, it
    asks that the attribute is present, and an ALLOW does not hold.
    """
    needed: list[Constant] = []
    excepted: list[Constant] = []
    for atom in atoms:
        if atom.key == "type":  # known, and always present
            if not _holds_of_type(atom, effect, instant, type_name):
                return None
        elif effect == "ALLOW":
            if instant is None:
                return None
            needed.append(InstantComparison(atom.key, atom.op, instant).comparison)
        else:
            needed.append((atom.key, Operator.NIN, []))
            if instant is not None:
                excepted.append(InstantComparison(atom.key, OPPOSITE[atom.op], instant).comparison)
    return AtInstant(tuple(needed), tuple(excepted))


def _holds_of_type(atom: AgainstNow, effect: Effect, instant: int | None, type_name: str) -> bool:
    if instant is None or instant_of_text(type_name) is None:
        return effect == "DENY"
    return InstantComparison(atom.key, atom.op, instant).holds(type_name)
