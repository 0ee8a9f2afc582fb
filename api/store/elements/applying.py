"""Applies edits in order to the rows of a workspace."""

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn
from uuid import uuid4

import msgspec

from ....bundles.conditions.values import is_text
from ....bundles.wording import in_backticks, quoted
from ....compiler.check_elements import element_warnings
from ....compiler.documents.read_element import ReadElement, read_element
from ....compiler.lints.allow_everyone import applies_to_everyone
from ....compiler.model.elements import LISTS, SINGLE_MEMBERS, Assignment, Element, ElementKind, Grant, Model, Policy
from ....compiler.model.generated_ids import with_ids
from ..errors import BodyFault, Conflict, ElementKey, EqualFact, NotFound, PreconditionFailed, Refusal, Rejected, User
from .checking import CheckedElement
from .edits import ChangeMember, Create, CreateAt, Delete, Edit, Patch, Put, Replace, SetGrants, StoredElement
from .element_bodies import Body, decode_body, element_of, encode_body, fact_text, merged, same_body
from .element_references import release_users
from .equal_facts import Fact, equal_fact, equal_facts
from .grant_sets import HeldGrant, content_of, grants_on, tag_of
from .kinds import MADE_IDS, Kind, Reference, kind_named
from .route_order import move_route
from .tables import StoredRow
from .unnamed_subjects import unnamed_subjects
from .workspace import Workspace

_NAMES: dict[ElementKind, tuple[str, ...]] = {
    ElementKind.EXTENSIONS: (),
    ElementKind.REQUESTS: (),
    ElementKind.RESOURCE_TYPES: ("name",),
    ElementKind.ROLES: (),
    ElementKind.GROUPS: (),
    ElementKind.SUBJECTS: ("external_id",),
    ElementKind.RESOURCES: ("external_id", "name"),
    ElementKind.ASSIGNMENTS: (),
    ElementKind.GRANTS: (),
    ElementKind.POLICIES: (),
    ElementKind.ROUTES: (),
    ElementKind.ATTRIBUTES: (),
    ElementKind.LINTS: (),
}
"""The unique members besides the key. An entity's are unique within its type (E1), a type's among all types (E7)."""

_OPEN = "if you mean that, replace the whole policy"


class EditApplier:
    """Applies the edits of one write. `rejected` are bodies that were not written, `faults` are name conflicts.

    `added` has the indexes of the edits that added an element. `warnings` are about the written elements themselves.
    """

    def __init__(self, workspace: Workspace):
        self.workspace = workspace
        self.rejected: list[CheckedElement] = []
        self.faults: list[BodyFault] = []
        self.added: set[int] = set()
        self.warnings: list[BodyFault] = []
        self._grants: dict[Reference, tuple[int, Grant]] = {}

    def apply(self, edits: Sequence[Edit]) -> tuple[StoredElement | None, ...]:
        """Apply the edits in order. Returns each edit's element, or None if it was removed or rejected.

        Raises NotFound, Conflict and PreconditionFailed, and Rejected for a fault that no check of the body can find.
        """
        results = []
        for number, edit in enumerate(edits):
            self.workspace.edit = number
            self.workspace.refuse_late()
            try:
                results.append(self._apply(edit))
            except Refusal as ex:
                ex.edit = number
                raise
        self.warnings += unnamed_subjects(self.workspace, self._grants.values())
        self.warnings.sort(key=lambda one: one.edit or 0)
        return tuple(results)

    @property
    def _edit(self) -> int:
        return self.workspace.edit

    def _apply(self, edit: Edit) -> StoredElement | None:
        kind = kind_named(edit.kind)
        if isinstance(edit, Create):
            return self._create(kind, edit)
        if isinstance(edit, SetGrants):
            return self._set_grants(kind, edit)
        if isinstance(edit, ChangeMember):
            return self._change_member(kind, edit)
        if isinstance(edit, Put):
            is_new = self._row(kind, edit.key) is None
            edit = (CreateAt if is_new else Replace)(edit.kind, edit.key, edit.body)
        if isinstance(edit, CreateAt):
            return self._moved(kind, edit.key, edit.before, self._create_at(kind, edit.key, edit.body))
        if isinstance(edit, Replace) and self._adds(kind, edit):
            return self._create_at(kind, edit.key, edit.body)
        found = self._found(kind, edit.key, edit.if_match)
        match edit:
            case Delete():
                if edit.cascade:
                    release_users(self.workspace, kind, edit.key)
                    found = self.workspace.find(kind, edit.key) or found
                if edit.stays_named:
                    self.workspace.named.add((kind.name, edit.key))
                self.workspace.remove(kind, edit.key, found)
                self._grants.pop((kind.name, edit.key), None)
                return None
            case Replace():
                replaced = self._replace(kind, edit.key, self._read(kind, edit.key, edit.body), found)
                return self._moved(kind, edit.key, edit.before, replaced)
            case Patch():
                return self._patch(kind, edit.key, edit.merge_patch, found)

    def _set_grants(self, kind: Kind, edit: SetGrants) -> StoredElement:
        """Faults have the index of the body in place of the edit's."""
        environment = self.workspace.environment
        held = grants_on(self.workspace.db, environment.number, edit.resource)
        tag = tag_of(environment, ((one.id, one.row.version) for one in held))
        if edit.if_match not in (None, tag):
            raise PreconditionFailed("the grants on this resource were changed since they were read; read them again")
        wanted = self._wanted(kind, edit.bodies)
        kept: dict[object, HeldGrant] = {}
        for one in held:
            self.workspace.refuse_late()
            if (content := content_of(one.grant)) in wanted:
                kept.setdefault(content, one)
        stay = {one.id: one.row.version for one in kept.values()}
        missing = [number for content, number in wanted.items() if content not in kept]
        removed = [one for one in held if one.id not in stay]
        for one in removed:
            self.workspace.refuse_late()
            self.workspace.remove(kind, (one.id,), one.row)
        added = [made.body for number in missing if (made := self._create_numbered(kind, number, edit)) is not None]
        state = stay | {body["id"]: self.workspace.version for body in added}
        told = {"added": added, "removed": [decode_body(one.row.body) for one in removed], "unchanged": len(kept)}
        return StoredElement(told, tag if edit.trial else tag_of(environment, state.items()))

    def _wanted(self, kind: Kind, bodies: Sequence[Body]) -> dict[object, int]:
        """Returns the index of the first grant of each content. One with faults has its index for its content."""
        wanted: dict[object, int] = {}
        for number, body in enumerate(bodies):
            read = read_element(kind.name, body)
            grant = read.element if isinstance(read.element, Grant) and not read.faults else None
            wanted.setdefault(number if grant is None else content_of(grant), number)
        return wanted

    def _create_numbered(self, kind: Kind, number: int, edit: SetGrants) -> StoredElement | None:
        self.workspace.edit = number
        self.workspace.refuse_late()
        return self._create(kind, Create(kind.name, edit.bodies[number]))

    def _change_member(self, kind: Kind, edit: ChangeMember) -> StoredElement | None:
        key = (edit.group,)
        found = self._found(kind, key, None)
        body = decode_body(found.body)
        members = body.get("members") or []
        left = [one for one in members if one != edit.member]
        is_there = len(left) < len(members)
        if not is_there and not edit.adds:
            raise NotFound(f"the group {quoted(edit.group)} has no such member")
        if is_there and edit.adds:
            return StoredElement(body, self.workspace.environment.etag_of(found.version))
        wanted = left
        if edit.adds:
            wanted = [*left, edit.member]
            self.added.add(self._edit)
        return self._replace(kind, key, self._read(kind, key, body | {"members": wanted}), found)

    def _adds(self, kind: Kind, edit: Replace) -> bool:
        """Returns whether a replacement adds an element that has no list to be added to: a single member."""
        return kind.name in SINGLE_MEMBERS and edit.if_match is None and self._row(kind, edit.key) is None

    def _found(self, kind: Kind, key: ElementKey, if_match: str | None) -> StoredRow:
        found = self._row(kind, key)
        if found is None:
            raise kind.absent(key, self.workspace.environment.id)
        if if_match is not None and if_match != self.workspace.environment.etag_of(found.version):
            raise PreconditionFailed(f"the {kind.noun} was changed since it was read; read it again")
        return found

    def _row(self, kind: Kind, key: ElementKey) -> StoredRow | None:
        """Returns the row of any key, or None. SQLite takes no lone surrogates."""
        return self.workspace.find(kind, key) if len(key) == len(kind.key) and all(map(is_text, key)) else None

    def _moved(
        self, kind: Kind, key: ElementKey, before: str | None, stored: StoredElement | None
    ) -> StoredElement | None:
        """Move a route that was written before another one. Returns what was stored."""
        if before is None or stored is None:
            return stored
        if kind.name != ElementKind.ROUTES:
            self._refuse_place("only routes have an order, so `before` is for them alone")
        if self._row(kind, (before,)) is None:
            self._refuse_place(f"there is no route {quoted(before)}, which `before` names")
        move_route(self.workspace, key[0], before)
        return stored

    def _refuse_place(self, message: str) -> NoReturn:
        raise Rejected((BodyFault("wrong-place", "$", message, "", self._edit),))

    def _create(self, kind: Kind, edit: Create) -> StoredElement | None:
        body = edit.body
        lacks_id = isinstance(body, dict) and ("id" not in body or (body["id"] is None and kind.name in MADE_IDS))
        made = kind.states_key and lacks_id
        if made:
            stated = {name: value for name, value in body.items() if name != "id"}
            body = {"id": self._made_id(kind, stated)} | stated
        read = read_element(kind.name, body)
        if read.element is None:
            self._keep_rejected(kind, read)
            return None
        key = kind.key_of(read.element)
        found = self.workspace.find(kind, key)
        if isinstance(read.element, Assignment | Grant) and not read.faults:
            same = self._equal(read.element)
            if same is not None:
                return StoredElement(decode_body(same.body), self.workspace.environment.etag_of(same.version))
        if found is not None:
            raise Conflict(f"the {kind.noun} {in_backticks(':'.join(key))} exists already")
        self.added.add(self._edit)
        stored = self._put(kind, key, read, read.element, None, may_equal=False)
        return self._moved(kind, key, edit.before, stored)

    def _equal(self, fact: Fact) -> StoredRow | None:
        return equal_fact(self.workspace.db, self.workspace.number, fact)

    def _create_at(self, kind: Kind, key: ElementKey, body: Body) -> StoredElement | None:
        if self._row(kind, key) is not None:
            raise PreconditionFailed(f"the {kind.noun} {in_backticks(':'.join(key))} exists already")
        self.added.add(self._edit)
        return self._replace(kind, key, self._read(kind, key, body), None)

    def _patch(self, kind: Kind, key: ElementKey, patch: Body, found: StoredRow) -> StoredElement | None:
        if not isinstance(patch, dict):
            raise Rejected((BodyFault("wrong-type", "$", "a merge patch is an object", "", self._edit),))
        read = self._read(kind, key, merged(decode_body(found.body), patch))
        if isinstance(read.element, Policy):
            before = element_of(kind.name, found.body)
            assert isinstance(before, Policy)
            self._refuse_opened(before, read.element)
        return self._replace(kind, key, read, found)

    def _refuse_opened(self, before: Policy, after: Policy) -> None:
        """Raises Rejected if a patch takes from a policy what keeps it from allowing everyone (P2, P6)."""
        if after.effect != "ALLOW" or after.roles is not None:
            return
        if before.roles is not None or before.effect == "DENY":
            fault = BodyFault(
                "roles-lost", "$.roles", "without roles the ALLOW would apply to everyone", _OPEN, self._edit
            )
            raise Rejected((fault,))
        if before.except_roles is not None and after.except_roles is None:
            message = "without exceptions the ALLOW would apply to everyone"
            raise Rejected((BodyFault("exceptions-lost", "$.except_roles", message, _OPEN, self._edit),))
        if after.except_roles is None and applies_to_everyone(after) and not applies_to_everyone(before):
            message = "without roles and conditions the ALLOW would apply to everyone"
            raise Rejected((BodyFault("conditions-lost", "$.conditions", message, _OPEN, self._edit),))

    def _read(self, kind: Kind, key: ElementKey, body: Body) -> ReadElement:
        """Returns the element of `key` in a body, which may leave the key out. Raises Rejected if it has another."""
        if isinstance(body, dict):
            named = dict(zip(kind.stated_key, key, strict=True)) if kind.stated_key else {}
            for name, value in named.items():
                if name in body and body[name] != value:
                    message = f"the body's `{name}` differs from the addressed {kind.noun}'s"
                    raise Rejected(
                        (
                            BodyFault(
                                "wrong-key", f"$.{name}", message, "leave it out, or create another one", self._edit
                            ),
                        )
                    )
            body = {name: value for name, value in named.items() if name not in body} | body
        return read_element(kind.name, body)

    def _replace(self, kind: Kind, key: ElementKey, read: ReadElement, found: StoredRow | None) -> StoredElement | None:
        if read.element is None:
            self._keep_rejected(kind, read)
            return None
        return self._put(kind, key, read, read.element, found)

    def _keep_rejected(self, kind: Kind, read: ReadElement) -> None:
        """Keep a body that was not written. The checks find its faults."""
        self.rejected.append(CheckedElement(kind.name, read, self._edit))

    def _put(
        self,
        kind: Kind,
        key: ElementKey,
        read: ReadElement,
        element: Element,
        found: StoredRow | None,
        may_equal: bool = True,
    ) -> StoredElement | None:
        """Write an element. A fact that `may_equal` another one is compared with the others first."""
        text, environment = encode_body(read.value), self.workspace.environment
        self.warnings += (
            BodyFault(one.code, one.path, one.message, one.help, self._edit)
            for one in element_warnings(read, self.workspace.silences, self.workspace.names_anonymous)
        )
        if isinstance(element, Grant) and not read.faults:
            self._grants[kind.name, key] = (self._edit, element)
        if found is not None and same_body(found.body, text):
            return StoredElement(read.value, environment.etag_of(found.version))
        if isinstance(element, Assignment | Grant) and not read.faults and may_equal:
            self._refuse_equal(kind, key, element)
        faults = self._taken_names(kind, key, element)
        if faults:
            self.faults += faults
            self._keep_rejected(kind, read)
            return None
        self.workspace.put(kind, key, text, read, found)
        return StoredElement(read.value, environment.etag_of(self.workspace.version))

    def _refuse_equal(self, kind: Kind, key: ElementKey, fact: Fact) -> None:
        """Raises EqualFact if there is one: to withdraw one of the two would leave the access (P8, P9)."""
        for one in equal_facts(self.workspace.db, self.workspace.number, fact):
            other = kind.key_of(element_of(kind.name, one.body))
            if other != key:
                text = fact_text(kind.name, decode_body(one.body))
                raise EqualFact(f"{quoted(text)} is equal to this {kind.noun}", (User(kind.name, other, text),))

    def _taken_names(self, kind: Kind, key: ElementKey, element: Element) -> list[BodyFault]:
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


def _taken(kind: Kind, member: str, name: Any, at: str, edit: int) -> BodyFault:
    code = "duplicate-name" if member == "name" else "duplicate-external-id"
    return BodyFault(code, f"$.{at}", f"another {kind.noun} has the {member} {quoted(name)}", "", edit)
