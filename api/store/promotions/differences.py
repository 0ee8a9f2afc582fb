"""The differences of two policy models by element, up to what an answer shows."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

import msgspec

from ....compiler.model.elements import ElementKind
from ....compiler.model.same_element import same_element
from ..elements.element_bodies import change_text, decode_body
from ..elements.kinds import Reference
from ..history.change_log import change_of
from ..history.route_orders import moved
from .policy_model import POLICY_LISTS, PolicyModel
from .promotion import MAX_SHOWN, MAX_SHOWN_BYTES, ElementDifference

_T = TypeVar("_T", bound=msgspec.Struct)
_size = msgspec.json.encode


def changed_elements(before: PolicyModel, after: PolicyModel) -> Iterator[Reference]:
    """Yields the list and key of each element that differs: removed ones first, then in the order of `after`.

    One that only writes a set in another order does not.
    """
    for kind in POLICY_LISTS:
        old, new = before.stored[kind.name], after.stored[kind.name]
        yield from ((kind.name, key) for key in old if key not in new)
        for key, one in new.items():
            was = old.get(key)
            if was is None or not (was.text == one.text or same_element(was.element, one.element)):
                yield kind.name, key


def differences(before: PolicyModel, after: PolicyModel) -> Iterator[ElementDifference]:
    """Yields the changed elements with their bodies, and then the routes that move among the others."""
    for name, key in changed_elements(before, after):
        was, now = before.stored[name].get(key), after.stored[name].get(key)
        old, new = (None if one is None else decode_body(one.text) for one in (was, now))
        yield ElementDifference(name, key[-1], change_of(old, new), old, new, change_text(name, old, new))
    for id in sorted(moved(before.route_order, after.route_order)):
        body = decode_body(after.stored[ElementKind.ROUTES][(id,)].text)
        text = change_text(ElementKind.ROUTES, body, body)
        yield ElementDifference(ElementKind.ROUTES, id, "moved", body, body, text)


def shown(found: Iterable[_T]) -> tuple[tuple[_T, ...], bool]:
    """Returns as many differences as an answer may have, and whether there are more."""
    kept: list[_T] = []
    size = 0
    for one in found:
        size += len(_size(one))
        if len(kept) == MAX_SHOWN or (kept and size > MAX_SHOWN_BYTES):
            return tuple(kept), True
        kept.append(one)
    return tuple(kept), False
