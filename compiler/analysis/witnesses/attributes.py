"""Values of attributes that fit each other: comparisons with other values of the request, and with its instant."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final

from ....bundles.conditions.comparisons import ORDERINGS
from ....bundles.conditions.instants import EARLIEST, END, SECOND, show_instant
from ....bundles.conditions.operators import Operator
from ....bundles.conditions.trees.instant_comparisons import instant_of_text
from ....bundles.conditions.values import Json
from ..conditions.variables import (
    AFTER,
    BEFORE,
    GROUPS_KEY,
    MISSING,
    SAME,
    UNREADABLE,
    SpanTest,
    attribute,
    is_now,
    is_reference,
    parts,
    sides_of,
)
from ..values.accepted import Accepted
from .linked import MOST_VALUES, Link, solved, unique, values_beside
from .paths import Path

_NEAR: Final = (0, -3600, 3600)


@dataclass
class Attributes:
    """Chooses values for the attributes of one path. `fixed` are those that subject and resource decide.

    `choices` are values for attributes that the path asks about. `groups` are those of the subject. `accepted` tells
    which values the models accept, and `declared` which ones fit their declarations: these are tried first.
    """

    path: Path
    choices: Mapping[str, Sequence[Json]]
    cells: Mapping[str, SpanTest]
    fixed: Mapping[str, Json]
    groups: Sequence[str]
    instant: int | None
    accepted: Accepted
    declared: Accepted
    values: dict[str, Json] = field(default_factory=dict)

    def chosen(self) -> dict[str, Json] | None:
        """Returns a value for each attribute that must be sent, or None if there are none that fit."""
        links = [Link(*sides_of(key), cell.states) for key, cell in self.cells.items() if is_reference(key)]
        found = solved(self._options(links), links)
        if found is None:
            return None
        self.values = found
        self.values.pop(GROUPS_KEY, None)
        for key, offered in self.choices.items():
            self.values.setdefault(key, offered[0])
        if not all(map(self._has_required, self.accepted.required)):
            return None
        return {key: value for key, value in self.values.items() if value is not None and key not in self.fixed}

    def _options(self, links: Sequence[Link]) -> Mapping[str, Sequence[Json]]:
        """Returns the values to try of each attribute that is compared with another one, or with the instant."""
        orders = {attribute(*parts(key)[1:]): cell for key, cell in self.cells.items() if is_now(key)}
        keys = dict.fromkeys([*(one for link in links for one in link[:2]), *orders])
        offered = {key: self._offered(key) for key in keys}
        pool = values_beside(chain.from_iterable(offered.values())) if links else []
        return {key: self._tried(key, offered[key], pool, orders.get(key)) for key in keys}

    def _offered(self, key: str) -> list[Json]:
        if key == GROUPS_KEY:
            return [list(self.groups)]
        if key in self.fixed:
            return [self.fixed[key]]
        return [*self.choices.get(key, ()), *self.accepted.values(key), *self.declared.values(key)]

    def _tried(self, key: str, offered: list[Json], pool: Sequence[Json], order: SpanTest | None) -> list[Json]:
        if key == GROUPS_KEY:
            return offered
        if key not in self.fixed:
            offered = unique([*offered, *pool, *(() if order is None else _texts(self.instant))])
        fitting = [
            one
            for one in offered
            if self._takes(key, one) and (order is None or _order(one, self.instant) in order.states)
        ]
        return sorted(fitting[:MOST_VALUES], key=lambda one: not self.declared.takes(key, one))

    def _has_required(self, key: str) -> bool:
        """Chooses a value for an attribute that each request must have. Returns whether it has one (E8)."""
        if self.values.get(key) is None:
            self.values[key] = next((one for one in self.accepted.values(key) if self._takes(key, one)), None)
        return self.values[key] is not None

    def _takes(self, key: str, value: Json) -> bool:
        return self.path.takes(key, value) and (key in self.fixed or self.accepted.takes(key, value))


def _texts(instant: int | None) -> Iterator[Json]:
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
