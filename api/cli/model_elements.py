"""The elements of a model by list and key, and how those of two models differ."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

import msgspec
from msgspec.structs import replace

from ...compiler.language.writing.changes import change_lines, has_made_id, statement_text
from ...compiler.model.elements import Assignment, Element, ElementKind, Grant, Model
from ...compiler.model.generated_ids import with_ids
from ...compiler.model.same_element import same_element
from ..store.elements.kinds import KINDS, MADE_IDS
from ..store.errors import ElementKey
from ..store.history.change_log import ChangeCounts, change_of
from ..store.history.route_orders import moved
from ..store.promotions.promotion import ElementDifference

Elements: TypeAlias = Mapping[ElementKind, Mapping[ElementKey, Element]]
"""The elements of a model, by list and key. Routes are in their order."""

_Changed: TypeAlias = tuple[ElementKey, Element | None, Element | None]
"""The key of an element, and the element before and after."""


def elements_of(model: Model, kinds: Collection[ElementKind] = tuple(KINDS)) -> Elements:
    """Returns the elements of some lists of a model."""
    return {kind: {KINDS[kind].key_of(one): one for one in getattr(model, kind)} for kind in kinds}


def differences(old: Elements, new: Elements) -> Iterator[ElementDifference]:
    """Yields what was added, changed and removed from `old` to `new`, and then the routes that moved.

    The order of a list counts only for routes. `old` and `new` have the same lists. An assignment or a grant that
    differs by a made id alone is the same.
    """
    for kind in old:
        changed = [*_changed(old[kind], new[kind])]
        if kind in MADE_IDS:
            changed = _facts(kind, changed)
        for key, before, after in changed:
            text = tuple(change_lines(kind, before, after))
            id, change = ":".join(key), change_of(before, after)
            yield ElementDifference(kind, id, change, _body(before), _body(after), text)
    orders = ([id for (id,) in of[ElementKind.ROUTES]] for of in (old, new))
    for id in sorted(moved(*orders)):
        route = new[ElementKind.ROUTES][(id,)]
        text = tuple(change_lines(ElementKind.ROUTES, route, route))
        yield ElementDifference(ElementKind.ROUTES, id, "moved", _body(route), _body(route), text)


def _changed(old: Mapping[ElementKey, Element], new: Mapping[ElementKey, Element]) -> Iterator[_Changed]:
    for key in sorted({*old, *new}):
        before, after = old.get(key), new.get(key)
        if before is None or after is None or not same_element(before, after):
            yield key, before, after


def _facts(kind: ElementKind, changed: Iterable[_Changed]) -> list[_Changed]:
    """Returns the changes of facts in the order of their sentences, without those that go and come under a made id."""
    told = [*changed]
    gone = _by_content(kind, [(key, before) for key, before, after in told if after is None])
    come = _by_content(kind, [(key, after) for key, before, after in told if before is None])
    same = {of[content] for content in gone.keys() & come.keys() for of in (gone, come)}
    return sorted((one for one in told if one[0] not in same), key=lambda one: _fact_order(kind, *one))


def _fact_order(
    kind: ElementKind, key: ElementKey, before: Element | None, after: Element | None
) -> tuple[object, ...]:
    """Returns a sort key that puts what goes before what comes with other terms for the same holder."""
    element = before or after
    assert isinstance(element, Assignment | Grant), "the kinds of facts"
    lasting = replace(element, id=None, starts_at=None, expires_at=None)
    return statement_text(kind, lasting), before is None, key


def _by_content(kind: ElementKind, facts: Iterable[tuple[ElementKey, Element | None]]) -> dict[str, ElementKey]:
    """Returns the keys of the facts with made ids, by the id that their content makes."""
    keyed = [(key, one) for key, one in facts if isinstance(one, Assignment | Grant) and has_made_id(one)]
    lists: dict[str, Any] = {kind: tuple(replace(one, id=None) for _, one in keyed)}
    made = getattr(with_ids(Model(**lists)), kind)
    return {one.id: key for one, (key, _) in zip(made, keyed, strict=True)}


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
