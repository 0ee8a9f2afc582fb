"""The cases of a pair of strict models: a request that both refuse is none, so its values make no difference (E8)."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from ....bundles.conditions.trees.domain import NO_VALUES, Domain
from ....bundles.conditions.trees.tree import And, FilterTree, Not, Or, leaf_count
from ....bundles.conditions.trees.value_sets import value_set_tree
from ....bundles.conditions.values import Json
from ....bundles.declarations.declarations import Declared
from ....bundles.declarations.kinds import ValueKind, kind_of
from ..conditions import relations
from ..conditions.variables import GROUPS_KEY, attribute, is_attribute, is_now, is_reference, parts, sides_of, states_of
from ..conditions.variables import MISSING as NO_VALUE
from ..models.sides import Pair, Side
from ..values.accepted import Accepted
from ..values.candidates import fits

SubjectTypes: TypeAlias = frozenset[str] | None
"""The types of the subjects of a class, or None if it may have any."""

_Kind: TypeAlias = ValueKind | None
_ANY: Final = frozenset[_Kind]((None, "string", "number", "boolean", "array", "object"))


@dataclass(frozen=True)
class Cases:
    """Tells which values requests on one pair may have if both models are strict. Without `sides`, all are cases."""

    sides: tuple[Side, ...]
    pair: Pair

    @classmethod
    def of(cls, sides: tuple[Side, Side], pair: Pair) -> "Cases":
        """Returns the cases of two models. If one of them refuses nothing, all requests are cases."""
        return cls(sides if all(side.strict for side in sides) else (), pair)

    @property
    def reads_subjects(self) -> bool:
        """True if the type of a subject matters."""
        return any(side.declarations.subjects for side in self.sides)

    def may_be_missing(self, key: str) -> bool:
        """Returns whether some case has no value of an attribute, whatever the type of its subject."""
        return None in self.kinds(key, None) or not self.sides

    def cells(self, key: str, domain: Domain, types: SubjectTypes) -> int:
        """Returns the cells of an attribute, as bits, that a case can have."""
        found = 0
        for stated in self._stated(key, types):
            if stated is None or stated.one_of is None or stated.kind == "array":
                kinds = _kinds(stated)
                found |= sum(1 << cell for cell in {cell for cell, kind in _classes(domain) if kinds & kind})
            else:
                listed = [*stated.one_of, *(() if stated.required else (None,))]
                found |= sum(
                    1 << cell
                    for cell in range(len(domain.holding))
                    if any(fits(domain, cell, {}, one) for one in listed)
                )
        return found

    def takes(self, key: str, value: Json, types: SubjectTypes) -> bool:
        """Returns whether some case has a value of an attribute. None stands for a missing one."""
        if not self.sides or not is_attribute(key):
            return True
        return any(one.takes(key, value) for one in self._accepted(key, types))

    def listed(self, key: str, types: SubjectTypes) -> Iterator[Json]:
        """Yields the values that declarations list for an attribute."""
        for stated in self._stated(key, types) if is_attribute(key) else ():
            yield from () if stated is None else stated.one_of or ()

    def states(self, key: str, types: SubjectTypes) -> frozenset[str]:
        """Returns the states of a special variable that a case can have."""
        every = frozenset(states_of(key))
        if is_reference(key):
            left, right = (self.kinds(one, types) if one != GROUPS_KEY else _ANY for one in sides_of(key))
            return frozenset(one for one in every if any(a in left and b in right for a, b in relations.KINDS[one]))
        if is_now(key) and None not in self.kinds(attribute(*parts(key)[1:]), types):
            return every - {NO_VALUE}
        return every

    def kinds(self, key: str, types: SubjectTypes) -> frozenset[_Kind]:
        """Returns the kinds of values that an attribute of a case can have, with None if it can be missing."""
        return frozenset[_Kind]().union(*(_kinds(one) for one in self._stated(key, types)))

    def tree(self, key: str, domain: Domain, cells: int, types: SubjectTypes) -> FilterTree:
        """Returns the shortest tree of "the attribute is in one of these cells" among those that agree on all cases."""
        kinds = self.kinds(key, types)
        places = [cell if cell == NO_VALUES else place for place, cell in enumerate(domain.cells)]
        exact = padded = 0
        for place, (cell, kind) in enumerate(_all_classes(domain)):
            has, can = cell != NO_VALUES and bool(cells >> cell & 1), bool(kinds & kind)
            exact |= (has and can) << place
            padded |= (has or not can) << place
        apart = replace(domain, cells=tuple(places), between={})
        present = padded if None in kinds else padded & ~1
        return min((value_set_tree(key, apart, one) for one in (exact, present, padded)), key=_length)

    def line(self, key: str, chosen: Collection[str], types: SubjectTypes) -> frozenset[str]:
        """Returns the states of a simple test that agrees with the chosen ones on all cases."""
        possible = self.states(key, types)
        wanted = possible.intersection(chosen)
        if is_reference(key):
            return relations.simplest(wanted, possible) & frozenset(states_of(key))
        return wanted

    def _stated(self, key: str, types: SubjectTypes) -> Iterator[Declared | None]:
        """Yields the declarations of an attribute by each model and type of subjects. None stands for any value."""
        for one in self._accepted(key, types):
            yield from one.stated(key)

    def _accepted(self, key: str, types: SubjectTypes) -> Iterator[Accepted]:
        for side in self.sides:
            for type in (types or (None,)) if parts(key)[0] == "subject_attrs" else (None,):
                yield Accepted((side,), self.pair, type)


def _kinds(stated: Declared | None) -> frozenset[_Kind]:
    """Returns the kinds of the values that a declaration lets a request send, with None if it may send none."""
    if stated is None:
        return _ANY
    found: set[_Kind] = set() if stated.required else {None}
    if stated.one_of is None or stated.kind == "array":
        found.add("string" if stated.kind == "instant" else stated.kind)
    return frozenset(found.union(kind_of(one) for one in stated.one_of or ()) if stated.kind != "array" else found)


def _all_classes(domain: Domain) -> Iterator[tuple[int, frozenset[_Kind]]]:
    """Yields the cell of each class of a domain, in order, and the kinds of its values."""
    kinds: list[frozenset[_Kind]] = [frozenset({None}), frozenset({"array", "object"})]
    kinds += [frozenset({kind_of(point)}) for point in domain.points]
    kinds += [frozenset({"number"})] * (2 * len(domain.numbers) + 1)
    kinds += [frozenset({"string"})] * (2 * len(domain.strings) + 1)
    return zip(domain.cells, kinds, strict=True)


def _classes(domain: Domain) -> Iterator[tuple[int, frozenset[_Kind]]]:
    return (one for one in _all_classes(domain) if one[0] != NO_VALUES)


def _length(tree: FilterTree) -> tuple[int, int]:
    """Returns the leaves of a tree, and how many of them it negates."""
    return leaf_count(tree), _negations(tree)


def _negations(tree: FilterTree) -> int:
    match tree:
        case Not(child):
            return 1 + _negations(child)
        case And(children) | Or(children):
            return sum(map(_negations, children))
        case _:
            return 0
