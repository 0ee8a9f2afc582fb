"""Applies edits in order to the rows of a workspace."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

import msgspec

from ....bundles.conditions.values import is_text
from ....bundles.wording import quoted
from ....compiler.documents.read_element import ReadElement, read_element
from ....compiler.model.elements import LISTS, Assignment, Element, ElementKind, Grant, Model
from ....compiler.model.generated_ids import with_ids
from ..errors import BadQuery, Conflict, ElementKey, Fault, PreconditionFailed, Refusal, Rejected
from .bodies import Body, decode_body, element_of, encode_body, merged
from .checking import CheckedElement
from .edits import Create, Delete, Edit, Patch, Replace, StoredElement
from .kinds import MADE_IDS, Kind, kind_named
from .references import release_users
from .route_order import move_route
from .tables import StoredRow
from .workspace import Workspace

_NAMES: dict[ElementKind, tuple[str, ...]] = {
    ElementKind.RESOURCE_TYPES: ("name",),
    ElementKind.ROLES: (),
    ElementKind.GROUPS: (),
    ElementKind.SUBJECTS: ("external_id",),
    ElementKind.RESOURCES: ("external_id", "name"),
    ElementKind.ASSIGNMENTS: (),
    ElementKind.GRANTS: (),
    ElementKind.POLICIES: (),
    ElementKind.ROUTES: (),
}
"""The unique members besides the key. An entity's are unique within its type (E1), a type's among all types (E7)."""


class EditApplier:
    """Applies the edits of one write. `rejected` are bodies that were not written, `faults` are name conflicts."""

    def __init__(self, workspace: Workspace):
        self.workspace = workspace
        self.rejected: list[CheckedElement] = []
        self.faults: list[Fault] = []

    def apply(self, edits: Sequence[Edit]) -> tuple[StoredElement | None, ...]:
        """Apply the edits in order. Returns each edit's element, or None if it was removed or rejected.

        Raises NotFound, Conflict and PreconditionFailed, and Rejected for a fault that no check of the body can find.
        """
        results = []
        for number, edit in enumerate(edits):
            self.workspace.edit = number
            try:
                results.append(self._apply(edit))
            except Refusal as ex:
                ex.edit = number
                raise
        return tuple(results)

    @property
    def _edit(self) -> int:
        return self.workspace.edit

    def _apply(self, edit: Edit) -> StoredElement | None:
        kind = kind_named(edit.kind)
        if isinstance(edit, Create):
            return self._create(kind, edit)
        found = self._found(kind, edit.key, edit.if_match)
        match edit:
            case Delete():
                if edit.cascade:
                    release_users(self.workspace, kind, edit.key)
                    found = self.workspace.find(kind, edit.key) or found
                self.workspace.remove(kind, edit.key, found)
                return None
            case Replace():
                return self._replaced(kind, edit, found)
            case Patch():
                return self._patch(kind, edit.key, edit.merge_patch, found)

    def _found(self, kind: Kind, key: ElementKey, if_match: str | None) -> StoredRow:
        found = self.workspace.find(kind, key) if len(key) == len(kind.key) and all(map(is_text, key)) else None
        if found is None:
            raise kind.absent(key, self.workspace.environment.id)
        if if_match is not None and if_match != self.workspace.environment.etag_of(found.version):
            raise PreconditionFailed(f"the {kind.noun} was changed since it was read; read it again")
        return found

    def _replaced(self, kind: Kind, edit: Replace, found: StoredRow) -> StoredElement | None:
        stored = self._replace(kind, edit.key, edit.body, found)
        if edit.before is not None and stored is not None:
            self._move(kind, edit.key, edit.before)
        return stored

    def _move(self, kind: Kind, key: ElementKey, before: str) -> None:
        """Move a route before another one."""
        if kind.name != ElementKind.ROUTES:
            raise BadQuery("only routes have an order, so `before` is for them alone")
        if not is_text(before) or self.workspace.find(kind, (before,)) is None:
            raise BadQuery(f"there is no route {quoted(before)}, which `before` names")
        move_route(self.workspace, key[0], before)

    def _create(self, kind: Kind, edit: Create) -> StoredElement | None:
        body = edit.body
        if isinstance(body, dict) and ("id" not in body or (body["id"] is None and kind.name in MADE_IDS)):
            stated = {name: value for name, value in body.items() if name != "id"}
            body = {"id": self._made_id(kind, stated)} | stated
        read = read_element(kind.name, body)
        if read.element is None:
            self._keep_rejected(kind, read)
            return None
        key = kind.key_of(read.element)
        found = self.workspace.find(kind, key)
        if found is not None:
            raise Conflict(f"there is a {kind.noun} `{':'.join(key)}` already")
        stored = self._put(kind, key, read, read.element, None)
        if edit.before is not None and stored is not None:
            self._move(kind, key, edit.before)
        return stored

    def _replace(self, kind: Kind, key: ElementKey, body: Body, found: StoredRow) -> StoredElement | None:
        if isinstance(body, dict):
            named = dict(zip(kind.key, key, strict=True))
            for name, value in named.items():
                if name in body and body[name] != value:
                    message = f"the body's `{name}` differs from the addressed {kind.noun}'s"
                    raise Rejected(
                        (Fault("wrong-key", f"$.{name}", message, "leave it out, or create another one", self._edit),)
                    )
            body = {name: value for name, value in named.items() if name not in body} | body
        read = read_element(kind.name, body)
        if read.element is None:
            self._keep_rejected(kind, read)
            return None
        return self._put(kind, key, read, read.element, found)

    def _patch(self, kind: Kind, key: ElementKey, patch: Body, found: StoredRow) -> StoredElement | None:
        if not isinstance(patch, dict):
            raise Rejected((Fault("wrong-type", "$", "a merge patch is an object", "", self._edit),))
        before = decode_body(found.body)
        after = merged(before, patch)
        narrower = "roles" in before or before.get("effect") == "DENY"
        if kind.name == ElementKind.POLICIES and narrower and "roles" not in after and after.get("effect") == "ALLOW":
            message = "without roles the ALLOW would apply to everyone"
            help_text = "if you mean that, replace the whole policy"
            raise Rejected((Fault("roles-lost", "$.roles", message, help_text, self._edit),))
        return self._replace(kind, key, after, found)

    def _keep_rejected(self, kind: Kind, read: ReadElement) -> None:
        """Keep a body that was not written. The checks find its faults."""
        self.rejected.append(CheckedElement(kind.name, read, self._edit))

    def _put(
        self, kind: Kind, key: ElementKey, read: ReadElement, element: Element, found: StoredRow | None
    ) -> StoredElement | None:
        text, environment = encode_body(read.value), self.workspace.environment
        if found is not None and found.body == text:
            return StoredElement(read.value, environment.etag_of(found.version))
        faults = self._taken_names(kind, key, element)
        if faults:
            self.faults += faults
            self._keep_rejected(kind, read)
            return None
        self.workspace.put(kind, key, text, read, found)
        return StoredElement(read.value, environment.etag_of(self.workspace.version))

    def _taken_names(self, kind: Kind, key: ElementKey, element: Element) -> list[Fault]:
        """Returns faults for names that another element has."""
        values = dict(zip((*kind.key, *kind.columns), kind.values(element), strict=True))
        scope = {"type": values["type"]} if "type" in values else {}
        faults = []
        for name in _NAMES[kind.name]:
            wanted = {**scope, name: values[name]}
            where = " AND ".join(f"{column} = ?" for column in wanted)
            query = f"SELECT {', '.join(kind.key)} FROM {kind.name} WHERE environment = ? AND {where}"
            other = self.workspace.db.execute(query, (self.workspace.number, *wanted.values())).fetchone()
            if other is not None and other != key:
                # The id of a type is its name if it has no other (E7).
                at = name if getattr(element, name) is not None else "id"
                faults.append(_taken(kind, name, values[name], at, self._edit))
        return faults

    def _made_id(self, kind: Kind, body: Body) -> str:
        """Returns an id made from the content of a readable grant or assignment, or else a random id (E1)."""
        if kind.name not in MADE_IDS:
            return str(uuid4())
        try:
            return self._id_over_content(kind, msgspec.convert(body, LISTS[kind.name]))
        except ValueError:  # the checks find its faults
            return str(uuid4())

    def _id_over_content(self, kind: Kind, element: Element) -> str:
        """Returns the id that the element would get in a document with the elements of the same content."""
        assert isinstance(element, Grant | Assignment)
        stated: list[Any] = [element]
        while True:
            id = _made(kind, stated)
            found = self.workspace.find(kind, (id,))
            if found is None:
                return id
            stated.append(element_of(kind.name, found.body))


def _made(kind: Kind, stated: Sequence[Any]) -> str:
    lists: Mapping[str, Any] = {str(kind.name): tuple(stated)}
    (first, *_) = getattr(with_ids(Model(**lists)), kind.name)
    return str(first.id)


def _taken(kind: Kind, member: str, name: Any, at: str, edit: int) -> Fault:
    code = "duplicate-name" if member == "name" else "duplicate-external-id"
    return Fault(code, f"$.{at}", f"another {kind.noun} has the {member} {quoted(name)}", "", edit)
