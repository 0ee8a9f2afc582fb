"""The changes of a request: which elements would be put or deleted."""

from typing import Annotated, Any, Final

from msgspec import Meta, Struct

from ....bundles.wording import quoted
from ....compiler.model.elements import SINGLE_MEMBERS, ElementKind
from ....compiler.model.single_members import element_of
from ...http.rejections import BodyRejected
from ...store.elements.edits import Create, Delete, Edit, Put
from ...store.elements.kinds import KINDS, Kind
from ...store.errors import ElementKey

MOST_CHANGES: Final = 100
"""The changes of a request."""

BAD: Final = "bad-change"
"""The code of a change that does not fit."""


class ElementEdit(Struct, frozen=True, forbid_unknown_fields=True):
    """A change to try: the element to put, or null to delete it. `kind` is a member of the model document.

    Of a member that is not a list, such as `extensions`, the element is its value.

    `id` is the element's id, and `type` that of a subject or a resource. They may be in the element instead. An element
    without an id gets one. `cascade` also removes references to a deleted element.
    """

    kind: ElementKind
    element: Any
    id: str | None = None
    type: str | None = None
    cascade: bool = False


Changes = Annotated[tuple[ElementEdit, ...], Meta(max_length=MOST_CHANGES)]


def edits_of(changes: tuple[ElementEdit, ...]) -> list[Edit]:
    """Returns the edits that changes ask for. Raises BodyRejected for one that does not say what it changes."""
    return [_edit(change, f"$.changes[{number}]") for number, change in enumerate(changes)]


def _edit(change: ElementEdit, path: str) -> Edit:
    kind = KINDS[change.kind]
    if not kind.states_key and kind.name not in SINGLE_MEMBERS:
        raise BodyRejected(BAD, f"{quoted(kind.name)} change only with the whole model", f"{path}.kind")
    if change.cascade and change.element is not None:
        raise BodyRejected(BAD, "`cascade` is for an element that is deleted", f"{path}.cascade")
    key, body = _key(kind, change), _body(kind, change)
    if body is None:
        if key is None:
            members = " and ".join(map(quoted, kind.key))
            raise BodyRejected(BAD, f"a deletion names the {kind.noun} by {members}", path)
        return Delete(kind.name, key, change.cascade)
    if key is None:
        return Create(kind.name, body)
    return Put(kind.name, key, body)


def _key(kind: Kind, change: ElementEdit) -> ElementKey | None:
    """Returns the key that a change names, or None if it names none."""
    if kind.name in SINGLE_MEMBERS:
        return (kind.name,)
    named = {"id": change.id, "type": change.type}
    found = tuple(_text(change.element, name) if named[name] is None else named[name] for name in kind.key)
    key = tuple(one for one in found if one is not None)
    return key if len(key) == len(found) else None


def _body(kind: Kind, change: ElementEdit) -> Any:
    """Returns the element to put, or None to delete it. The store says what is wrong with a value that is no object."""
    if change.element is None or kind.name not in SINGLE_MEMBERS:
        return change.element
    return element_of(kind.name, change.element)


def _text(body: Any, name: str) -> str | None:
    value = body.get(name) if isinstance(body, dict) else None
    return value if isinstance(value, str) else None
