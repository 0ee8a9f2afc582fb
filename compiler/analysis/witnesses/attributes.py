"""Values of attributes that fit each other: comparisons with other values of the request, and with its instant."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Final

from ....bundles.conditions.comparisons import ORDERINGS, predicate
from ....bundles.conditions.instants import EARLIEST, END, SECOND, show_instant
from ....bundles.conditions.operators import Operator
from ....bundles.conditions.references import is_comparable
from ....bundles.conditions.trees.instant_comparisons import instant_of_text
from ....bundles.conditions.values import Json
from ..conditions.variables import (
    AFTER,
    BEFORE,
    MISSING,
    NO,
    SAME,
    UNREADABLE,
    YES,
    SpanTest,
    attribute,
    is_now,
    is_reference,
    parts,
)
from .accepted import Accepted
from .paths import Path

_POOL: Final[tuple[Json, ...]] = (None, "a", "b", 1, ["a"])
_NEAR: Final = (0, -3600, 3600)
_ELEMENTS: Final = 3


@dataclass
class Attributes:
    """Chooses values for the attributes of one path. `fixed` are those that subject and resource decide.

    `choices` are values for attributes that the path asks about. `groups` are those of the subject. `accepted` tells
    which values the models accept.
    """

    path: Path
    choices: Mapping[str, Sequence[Json]]
    cells: Mapping[str, SpanTest]
    fixed: Mapping[str, Json]
    groups: Sequence[str]
    instant: int | None
    accepted: Accepted
    values: dict[str, Json] = field(default_factory=dict)

    def chosen(self) -> dict[str, Json] | None:
        """Returns a value for each attribute that must be sent, or None if there are none that fit."""
        for key, cell in self.cells.items():
            if is_now(key) and not self._near_instant(key, cell):
                return None
        for key, cell in self.cells.items():
            if is_reference(key) and not self._related(key, cell):
                return None
        for key, offered in self.choices.items():
            self.values.setdefault(key, offered[0])
        if not all(map(self._has_required, self.accepted.required)):
            return None
        return {key: value for key, value in self.values.items() if value is not None and key not in self.fixed}

    def _has_required(self, key: str) -> bool:
        """Chooses a value for an attribute that each request must have. Returns whether it has one (E8)."""
        if self.values.get(key) is None:
            self.values[key] = next((one for one in self.accepted.values(key) if self._takes(key, one)), None)
        return self.values[key] is not None

    def _takes(self, key: str, value: Json) -> bool:
        return self.path.takes(key, value) and (key in self.fixed or self.accepted.takes(key, value))

    def _options(self, key: str) -> list[Json]:
        if key in self.fixed:
            return [self.fixed[key]]
        return [self.values[key]] if key in self.values else list(self.choices.get(key, ()))

    def _near_instant(self, key: str, cell: SpanTest) -> bool:
        """Chooses a value that compares with the instant as a cell says. Returns whether there is one (X5)."""
        _, section, name = parts(key)
        left = attribute(section, name)
        for one in self._options(left) if left in self.fixed else _texts(self._options(left), self.instant):
            if _order(one, self.instant) in cell.states and self._takes(left, one):
                self.values[left] = one
                return True
        return False

    def _related(self, key: str, cell: SpanTest) -> bool:
        """Chooses values for both sides of a comparison with a reference. Returns whether there are some (X2)."""
        _, section, name, operator, referred = parts(key)
        source, _, other = referred.partition(".")
        left, right = attribute(section, name), attribute(f"{source}_attrs", other)
        of_groups = referred == "subject.groups"
        lefts = self._options(left)
        rights: list[Json] = [list(self.groups)] if of_groups else self._options(right)
        near = [one for one in (*lefts, *rights) if one is not None]
        pool = [*_POOL, *near, *([one] for one in near), *_elements(near)]
        lefts, rights = lefts or [*pool, *self.accepted.values(left)], rights or [*pool, *self.accepted.values(right)]
        for one, two in product(lefts, rights):
            if _result(Operator(operator), one, two) not in cell.states or not self._takes(left, one):
                continue
            if of_groups or self._takes(right, two):
                self.values[left] = one
                if not of_groups:
                    self.values[right] = two
                return True
        return False


def _elements(values: Sequence[Json]) -> Iterator[Json]:
    for one in values:
        if isinstance(one, list):
            yield from one[:_ELEMENTS]


def _texts(options: Sequence[Json], instant: int | None) -> Iterator[Json]:
    yield from options
    if instant is not None:
        others = (instant + near * SECOND for near in _NEAR)
        yield from (show_instant(one) for one in others if EARLIEST <= one < END)
    yield from (None, "x")


def _order(value: Json, instant: int | None) -> str:
    """Returns the order of an attribute and the instant, as a state of the variable of both (X5)."""
    if value is None:
        return MISSING
    found = instant_of_text(value)
    if found is None or instant is None:
        return UNREADABLE
    if found == instant:
        return SAME
    return BEFORE if ORDERINGS[Operator.LT](found, instant) else AFTER


def _result(op: Operator, left: Json, right: Json) -> str:
    """Returns the result of a comparison with a reference (X2)."""
    if left is None:
        return NO
    if right is None or not is_comparable(op, right):
        return UNREADABLE
    return YES if predicate(op, right)(left) else NO


def placed(values: Mapping[str, Json], request: dict[str, Any], accepted: Accepted) -> dict[str, Any]:
    """Returns a request with the values of attributes in their places."""
    bags: dict[str, dict[str, Any]] = {}
    for key, value in sorted(values.items()):
        section, name = parts(key)
        bags.setdefault(section, {})[name] = value
    for section, bag in bags.items():
        found = accepted.placed(section, bag)
        if section == "context_attrs":
            request["context"] |= found
        else:
            request[section.removesuffix("_attrs")]["properties"] = found
    return request
