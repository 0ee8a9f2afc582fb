"""The groups and roles around one element, as nodes and links: `/v1/environments/{env}/graph`."""

from collections.abc import Mapping
from typing import Any, Final, Literal

import falcon
import falcon.asgi
from msgspec import Struct

from ....compiler.model.elements import ElementKind
from ...engines.live.store_work import StoreWork
from ...http.bodies import ENCODER
from ...http.openapi.operation import Answer, Operation, Parameter
from ...http.queries import known_parameters
from ...store.errors import BadQuery
from ...store.insight import element_graph
from ...store.insight.element_graph import ElementGraph, Link, Node
from ..management.management_shapes import Count

_KINDS: Final = {ElementKind.SUBJECTS: "subject", ElementKind.GROUPS: "group", ElementKind.ROLES: "role"}
_STARTS: Final = {
    ("role",): ElementKind.ROLES,
    ("group",): ElementKind.GROUPS,
    ("subject.id", "subject.type"): ElementKind.SUBJECTS,
}
"""The parameters that name the element in the middle."""


class GraphNode(Struct, frozen=True):
    """An element. Only a subject has a `type`. `name` is its name, or the attribute `name` of a subject."""

    kind: Literal["subject", "group", "role"]
    type: str | None
    id: str
    name: str | None


class GraphLink(Struct, frozen=True):
    """The node `lower` is a member of the group `upper`, or holds the role `upper` by an assignment.

    Both are places in `nodes`. A membership has neither an assignment nor a term.
    """

    lower: Count
    upper: Count
    assignment: str | None
    starts_at: str | None
    expires_at: str | None


class GraphAnswer(Struct, frozen=True):
    """The nodes, that of the question first, and their links. `truncated` says whether a limit cut something."""

    nodes: tuple[GraphNode, ...]
    links: tuple[GraphLink, ...]
    truncated: bool


GET: Final = Operation(
    "getGraph",
    "Insight",
    "Read the groups and roles around a subject, a group or a role",
    {200: Answer("The graph.", GraphAnswer)},
    "Name one element: a `role`, a `group`, or the `subject.type` and `subject.id`. It shows"
    f" {element_graph.MOST_NODES} nodes and {element_graph.MOST_LINKS:,} links at most, the nearest first.",
    query=(
        Parameter("role", "The id of a role."),
        Parameter("group", "The id of a group."),
        Parameter("subject.type", "The type of a subject."),
        Parameter("subject.id", "The id of this subject."),
    ),
)


class Graph:
    """The endpoint of the graph around an element."""

    def __init__(self, work: StoreWork) -> None:
        self._work = work

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str) -> None:
        """Answer 200. Raises BadQuery, and NotFound if the element is not registered (E3)."""
        start = _start(known_parameters(req, "role", "group", "subject.type", "subject.id"))
        bounds = req.context.credential.bounds
        resp.data = ENCODER.encode(_shown(await self._work.read(self._work.store.insight.graph, env, start, bounds)))


def _start(asked: Mapping[str, str]) -> Node:
    kind = _STARTS.get(tuple(sorted(asked)))
    if kind is None:
        raise BadQuery("name one element: `role`, or `group`, or both `subject.type` and `subject.id`")
    return Node(
        kind, (asked["subject.type"], asked["subject.id"]) if kind is ElementKind.SUBJECTS else (*asked.values(),)
    )


def _shown(graph: ElementGraph) -> GraphAnswer:
    places = {node: place for place, node in enumerate(graph.nodes)}
    nodes = tuple(
        GraphNode(_KINDS[kind], key[0] if len(key) > 1 else None, key[-1], name)  # type: ignore[arg-type]  # one of the three
        for (kind, key), name in graph.nodes.items()
    )
    return GraphAnswer(nodes, tuple(_link(link, places) for link in graph.links), graph.truncated)


def _link(link: Link, places: Mapping[Node, int]) -> GraphLink:
    by: Mapping[str, Any] = link.assignment or {}
    return GraphLink(places[link.lower], places[link.upper], by.get("id"), by.get("starts_at"), by.get("expires_at"))
