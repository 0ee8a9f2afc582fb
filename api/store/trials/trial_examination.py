"""Examines the elements of a trial before its transaction, so that no write waits for the checks that take long."""

from collections.abc import Iterator, Sequence
from uuid import uuid4

from ....compiler.checks.pattern_sizes import pattern_sizes
from ....compiler.documents.read_element import read_element
from ....compiler.model.elements import Policy
from ..database.connections import StoreConnections
from ..elements.checking import CheckedElement, refuse_faults
from ..elements.edits import Create, CreateAt, Delete, Edit, Put, Replace
from ..elements.kinds import Kind, Reference, kind_named
from ..environment_ids import Bounds
from ..environments import environment_within
from ..errors import ElementKey


def examine(connections: StoreConnections, env: str, edits: Sequence[Edit], bounds: Bounds) -> None:
    """Check the elements that edits leave, together and against the stored ones. Nothing is written.

    It finds no fault that the write itself would not find. It leaves the rest to the write: names that are taken,
    limits of the whole model, and all but patterns if a deletion cascades, since that may change earlier edits. No edit
    is a patch, which does not have all of its element. The write repeats the checks. They are quick for elements
    without faults, since their patterns are measured then.

    Raises Rejected, NotFound, OutOfBounds and StoreUnavailable.
    """
    examined, written = _written(edits)
    for one in examined:
        if isinstance(one.read.element, Policy):
            pattern_sizes(one.read.element)
    cascades = any(isinstance(edit, Delete) and edit.cascade for edit in edits)
    with connections.reading() as db:
        environment = environment_within(db, env, bounds)
        if not cascades:
            refuse_faults(db, environment.number, examined, written)


def _written(edits: Sequence[Edit]) -> tuple[list[CheckedElement], set[Reference]]:
    """Returns the elements that edits put and none of them replaces or deletes, and their keys."""
    found: dict[object, CheckedElement] = {}
    keys: set[Reference] = set()
    for number, edit in enumerate(edits):
        kind = kind_named(edit.kind)
        if isinstance(edit, Delete):
            found.pop((kind.name, edit.key), None)
            keys.discard((kind.name, edit.key))
            continue
        for key, body in _bodies(kind, edit):
            read = read_element(kind.name, body)
            found[kind.name, key] = CheckedElement(kind.name, read, number)
            if read.element is not None:
                keys.add((kind.name, key))
    return [*found.values()], keys


def _bodies(kind: Kind, edit: Edit) -> Iterator[tuple[ElementKey, object]]:
    """Yields the key and the body of the element that an edit puts, if the body is an object."""
    match edit:
        case Create(body=dict(body)):
            made = {"id": str(uuid4())} if kind.states_key and body.get("id") is None else {}
            body = {**body, **made}
            yield tuple(str(body.get(name)) for name in kind.key), body
        case CreateAt() | Put() | Replace() if isinstance(edit.body, dict):
            yield edit.key, {**dict(zip(kind.stated_key, edit.key, strict=False)), **edit.body}
