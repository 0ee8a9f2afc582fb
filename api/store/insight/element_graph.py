"""The graph of groups and roles around one element: what it is in and holds, and who is in or holds it (P2 to P4)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from ....bundles.conditions.values import is_text
from ....compiler.model.elements import ElementKind
from ..database.connection import Connection
from ..elements.element_bodies import decode_body
from ..elements.kinds import KINDS
from ..elements.tables import TABLES
from ..environments import Environment
from ..errors import ElementKey
from .subject_holdings import ASSIGNMENTS_OF_GROUP, ASSIGNMENTS_OF_SUBJECT, GROUPS_OF_GROUP, GROUPS_OF_SUBJECT

MOST_NODES: Final = 200
"""The elements that a graph shows."""

MOST_LINKS: Final = 1_000
"""The memberships and assignments that a graph shows."""

# PERF: each query reads an index, and its limit bounds its work.
_GROUPS_IN_GROUP: Final = (
    "SELECT member FROM group_groups WHERE environment = ? AND group_id = ? ORDER BY member LIMIT ?"
)
_SUBJECTS_IN_GROUP: Final = (
    "SELECT type, id FROM group_subjects WHERE environment = ? AND group_id = ? ORDER BY type, id LIMIT ?"
)
_OF_ROLE: Final = "SELECT body FROM assignments WHERE environment = ? AND role = ? ORDER BY place LIMIT ?"
_GRANT: Final = "SELECT 1 FROM grants WHERE environment = ? AND subject_type = ? AND subject_id = ? LIMIT 1"


class Node(NamedTuple):
    """An element of a graph: a subject, a group or a role."""

    kind: ElementKind
    key: ElementKey


class Link(NamedTuple):
    """`lower` is a member of the group `upper`, or holds the role `upper` by `assignment`, a body of the model."""

    lower: Node
    upper: Node
    assignment: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class ElementGraph:
    """The elements around the first one of `nodes`, with the name of each, and their links.

    `truncated` says whether a limit cut something. Assignments that have not started or have ended are there too.
    """

    nodes: Mapping[Node, str | None]
    links: tuple[Link, ...]
    truncated: bool


def element_graph(db: Connection, environment: Environment, start: Node) -> ElementGraph:
    """Returns the graph around a subject, a group or a role. Raises NotFound if it is not registered (E3).

    Upwards it has all groups that contain `start`, in any depth, and the roles of each. Downwards it has the groups in
    a group, in any depth, and who is a member of `start` or holds it.
    """
    growing = _Growing(db, environment.number, start)
    if not all(map(is_text, start.key)) or not growing.is_registered():
        raise KINDS[start.kind].absent(start.key, environment.id)
    growing.upwards()
    growing.downwards()
    names = {node: growing.name(node) for node in growing.nodes}
    return ElementGraph(names, tuple(growing.links.values()), growing.is_cut)


class _Growing:
    """A graph that grows breadth first from its start, so that a limit cuts what is far away. A circle ends (P3)."""

    def __init__(self, db: Connection, environment: int, start: Node) -> None:
        self._db, self._environment, self._start = db, environment, start
        self.nodes: dict[Node, None] = {start: None}
        self.links: dict[tuple[Node, Node, str | None], Link] = {}
        self.is_cut = False

    def is_registered(self) -> bool:
        """Returns whether the model has the start, or names it: a subject needs no entry (E3)."""
        kind, key = self._start
        if TABLES[kind].find(self._db, self._environment, key) is not None:
            return True
        queries = (GROUPS_OF_SUBJECT, ASSIGNMENTS_OF_SUBJECT) if kind is ElementKind.SUBJECTS else ()
        named = any(next(self._rows(query, key), None) for query in queries)
        return named or (bool(queries) and self._db.execute(_GRANT, (self._environment, *key)).fetchone() is not None)

    def name(self, node: Node) -> str | None:
        """Returns what people call an element: its name; of a subject, its attribute `name`."""
        row = TABLES[node.kind].find(self._db, self._environment, node.key)
        body = {} if row is None else decode_body(row.body)
        name = (body.get("attributes") or {}).get("name") if node.kind is ElementKind.SUBJECTS else body.get("name")
        return name if isinstance(name, str) else None

    def upwards(self) -> None:
        """Add the groups around the start, in any depth, and the roles of all."""
        reached = {self._start: None} if self._start.kind is not ElementKind.ROLES else {}
        for node in (waiting := [*reached]):  # it grows meanwhile
            of_subject = node.kind is ElementKind.SUBJECTS
            for (id,) in self._rows(GROUPS_OF_SUBJECT if of_subject else GROUPS_OF_GROUP, node.key):
                self._link(node, group := Node(ElementKind.GROUPS, (id,)))
                self._reach(group, reached, waiting)
            self._assigned(ASSIGNMENTS_OF_SUBJECT if of_subject else ASSIGNMENTS_OF_GROUP, node)

    def downwards(self) -> None:
        """Add who holds the start, the groups in its groups, in any depth, and at last the subjects in it.

        A group may have many subjects, which would leave no place for its groups.
        """
        from_all = self._start.kind is ElementKind.ROLES
        if from_all:
            self._assigned(_OF_ROLE, self._start)
        groups = (node for node in self.nodes if node.kind is ElementKind.GROUPS)
        reached = {node: None for node in groups if from_all or node == self._start}
        for group in (waiting := [*reached]):  # it grows meanwhile
            for (id,) in self._rows(_GROUPS_IN_GROUP, group.key):
                self._link(inner := Node(ElementKind.GROUPS, (id,)), group)
                self._reach(inner, reached, waiting)
        if self._start.kind is ElementKind.GROUPS:
            for key in self._rows(_SUBJECTS_IN_GROUP, self._start.key):
                self._link(Node(ElementKind.SUBJECTS, key), self._start)

    def _reach(self, node: Node, reached: dict[Node, None], waiting: list[Node]) -> None:
        """Let a walk go on from a node that it has not met, if the graph has it."""
        if node in self.nodes and node not in reached:
            reached[node] = None
            waiting.append(node)

    def _assigned(self, query: str, node: Node) -> None:
        """Add the assignments of a holder or of a role."""
        for (text,) in self._rows(query, node.key):
            body = decode_body(text)
            self._link(_holder(body), Node(ElementKind.ROLES, (body["role"],)), body)

    def _link(self, lower: Node, upper: Node, assignment: Mapping[str, Any] | None = None) -> None:
        """Add a link and its ends, unless the graph is full."""
        new = {node: None for node in (lower, upper) if node not in self.nodes}
        link = (lower, upper, None if assignment is None else str(assignment["id"]))
        if link in self.links:
            return
        if len(self.nodes) + len(new) > MOST_NODES or len(self.links) >= MOST_LINKS:
            self.is_cut = True
            return
        self.nodes |= new
        self.links[link] = Link(lower, upper, assignment)

    def _rows(self, query: str, key: ElementKey) -> Iterator[Any]:
        limit = MOST_LINKS + 1 - len(self.links)
        return iter(self._db.execute(query, (self._environment, *key, limit)).fetchall())


def _holder(assignment: Mapping[str, Any]) -> Node:
    if "group" in assignment:
        return Node(ElementKind.GROUPS, (assignment["group"],))
    return Node(ElementKind.SUBJECTS, (assignment["subject"]["type"], assignment["subject"]["id"]))
