"""The facts of a model: members of groups, holders of roles, direct grants, registered entities.

Facts name roles, groups and types by their ids. A bundle file numbers them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ..conditions.values import Json
from .intervals import united

FOREVER = float("inf")
"""The expiry of a fact that never expires. Other expiries are in epoch seconds: from then on, it has expired (P4)."""

ALWAYS = -FOREVER
"""The start of a fact without one. Other starts are in epoch seconds: from then on, it is in force (P4)."""


class Holding(NamedTuple):
    """A role that is held from `starts` until `expires`, in epoch seconds (P4)."""

    role: str
    expires: float
    starts: float = ALWAYS


class EntityKey(NamedTuple):
    """The key of a subject or a resource (E1). For a resource, `type` is the id of the declared type."""

    type: str
    id: str


class Grant(NamedTuple):
    """Some actions for one subject on one resource. `actions` are sorted, and wildcards are expanded (P4)."""

    id: str
    subject: EntityKey
    resource: EntityKey
    actions: tuple[str, ...]
    expires: float
    starts: float = ALWAYS


@dataclass(slots=True)
class GroupFacts:
    """A group: the groups directly above it, and the roles assigned to the group itself (P2, P3)."""

    parents: set[str] = field(default_factory=set)
    holdings: list[Holding] = field(default_factory=list)


@dataclass(slots=True)
class SubjectFacts:
    """A registered subject: its external id, direct groups and direct roles."""

    external_id: str | None = None
    groups: set[str] = field(default_factory=set)
    holdings: list[Holding] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ResourceFacts:
    """A registered resource: its names and attributes."""

    external_id: str | None = None
    name: str | None = None
    attributes: Mapping[str, Json] | None = None


@dataclass(slots=True)
class Facts:
    """All facts of one model. Every entity that a fact names is registered here (E3)."""

    groups: dict[str, GroupFacts] = field(default_factory=dict)
    subjects: dict[EntityKey, SubjectFacts] = field(default_factory=dict)
    resources: dict[EntityKey, ResourceFacts] = field(default_factory=dict)
    grants: Sequence[Grant] = ()


def united_holdings(holdings: Iterable[Holding]) -> tuple[Holding, ...]:
    """Returns holdings by role and start. Those of one role neither overlap nor touch, and none is empty (P4).

    So the same roles at the same times are the same holdings, whichever assignments they come from.

    >>> united_holdings([Holding("r", 2.0), Holding("r", 3.0, 1.0), Holding("r", 9.0, 4.0)])
    (Holding(role='r', expires=3.0, starts=-inf), Holding(role='r', expires=9.0, starts=4.0))
    """
    by_role: dict[str, list[tuple[float, float]]] = {}
    for role, expires, starts in holdings:
        by_role.setdefault(role, []).append((starts, expires))
    return tuple(
        Holding(role, expires, starts) for role in sorted(by_role) for starts, expires in united(by_role[role])
    )
