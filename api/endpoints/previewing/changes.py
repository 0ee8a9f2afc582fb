"""The changes of a request: which elements would be put or deleted."""

from typing import Annotated, Any, Final

from msgspec import Meta, Struct

from ....bundles.wording import quoted
from ....compiler.model.elements import ONE_OBJECT, ElementKind
from ...http.rejections import BodyRejected
from ...store.elements.edits import Create, Delete, Edit, Put
from ...store.elements.kinds import KINDS, Kind
from ...store.errors import ElementKey

MOST_CHANGES: Final = 100
"""The changes of a request."""

BAD: Final = "bad-change"
"""The code of a change that does not fit."""


class ElementEdit(Struct, frozen=True, forbid_unknown_fields=True):
    """A change to try: the element to put, or null to delete it. `kind` is a list of the model document.

    `id` is the element's id, and `type` that of a subject or a resource. They may be in the element instead. An element
    without an id gets one. `cascade` also removes references to a deleted element.
    """

    kind: ElementKind
    element: dict[str, Any] | None
    id: str | None = None
    type: str | None = None
    cascade: bool = False


Changes = Annotated[tuple[ElementEdit, ...], Meta(max_length=MOST_CHANGES)]


def edits_of(changes: tuple[ElementEdit, ...]) -> list[Edit]:
    """Returns the edits that changes ask for. Raises BodyRejected for one that does not say what it changes."""
    return [_edit(change, f"$.changes[{number}]") for number, change in enumerate(changes)]


def _edit(change: ElementEdit, path: str) -> Edit:
    kind = KINDS[change.kind]
    if not kind.states_key and kind.name != ONE_OBJECT:
        raise BodyRejected(BAD, f"{quoted(kind.name)} change only with the whole model", f"{path}.kind")
    if change.cascade and change.element is not None:
        raise BodyRejected(BAD, "`cascade` is for an element that is deleted", f"{path}.cascade")
    key = _key(kind, change)
    if change.element is None:
        if key is None:
            members = " and ".join(map(quoted, kind.key))
            raise BodyRejected(BAD, f"a deletion names the {kind.noun} by {members}", path)
        return Delete(kind.name, key, change.cascade)
    if key is None:
        return Create(kind.name, change.element)
    return Put(kind.name, key, change.element)


def _key(kind: Kind, change: ElementEdit) -> ElementKey | None:
    """Returns the key that a change names, or None if it names none."""
    if kind.name == ONE_OBJECT:
        return (ONE_OBJECT,)
    named = {"id": change.id, "type": change.type}
    found = tuple(_text(change.element or {}, name) if named[name] is None else named[name] for name in kind.key)
    key = tuple(one for one in found if one is not None)
    return key if len(key) == len(found) else None


def _text(body: dict[str, Any], name: str) -> str | None:
    value = body.get(name)
    return value if isinstance(value, str) else None
