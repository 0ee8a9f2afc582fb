"""The elements of a model by list and key, and how those of two models differ."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

import msgspec

from ...compiler.model.elements import Element, ElementKind, Model
from ...compiler.model.same_element import same_element
from ..store.elements.kinds import KINDS
from ..store.errors import ElementKey
from ..store.history.change_log import ChangeCounts, change_of
from ..store.history.route_orders import moved
from ..store.promotions.promotion import ElementDifference

Elements: TypeAlias = Mapping[ElementKind, Mapping[ElementKey, Element]]
"""The elements of a model, by list and key. Routes are in their order."""


def elements_of(model: Model, kinds: Collection[ElementKind] = tuple(KINDS)) -> Elements:
    """Returns the elements of some lists of a model."""
    return {kind: {KINDS[kind].key_of(one): one for one in getattr(model, kind)} for kind in kinds}


def differences(old: Elements, new: Elements) -> Iterator[ElementDifference]:
    """Yields what was added, changed and removed from `old` to `new`, and then the routes that moved.

    The order of a list counts only for routes. `old` and `new` have the same lists.
    """
    for kind in old:
        for key in sorted({*old[kind], *new[kind]}):
            before, after = old[kind].get(key), new[kind].get(key)
            if before is None or after is None or not same_element(before, after):
                yield ElementDifference(kind, ":".join(key), change_of(before, after), _body(before), _body(after))
    orders = ([id for (id,) in of[ElementKind.ROUTES]] for of in (old, new))
    for id in sorted(moved(*orders)):
        body = _body(new[ElementKind.ROUTES][(id,)])
        yield ElementDifference(ElementKind.ROUTES, id, "moved", body, body)


def counts_of(found: Iterable[ElementDifference]) -> ChangeCounts:
    """Returns the number of changes of each kind, for each list that has some."""
    counts = Counter((one.kind, one.change) for one in found)
    told: ChangeCounts = {}
    for kind in dict.fromkeys(kind for kind in KINDS if any(kind == counted for counted, _ in counts)):
        told[kind] = {change: counts[kind, change] for change in ("added", "changed", "removed")}
        if counts[kind, "moved"]:
            told[kind]["moved"] = counts[kind, "moved"]
    return told


def _body(element: Element | None) -> dict[str, Any] | None:
    return None if element is None else msgspec.to_builtins(element)
