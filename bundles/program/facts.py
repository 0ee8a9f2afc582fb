"""The facts of a model: members of groups, holders of roles, direct grants, registered entities.

Facts name roles, groups and types by their ids. A bundle file numbers them.
"""

import struct
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import msgspec

from ..conditions.intervals import united
from ..conditions.values import Json

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


GrantHolder: TypeAlias = EntityKey | str
"""The holder of a grant: the key of a subject, or the id of a group (P4, P7)."""


class Grant(NamedTuple):
    """Some actions for one holder on one resource. `actions` are sorted, and wildcards are expanded (P4, P7)."""

    id: str
    holder: GrantHolder
    resource: EntityKey
    actions: tuple[str, ...]
    expires: float
    starts: float = ALWAYS


PackedGrant: TypeAlias = tuple[str, int, str, float, float]
"""A grant of a known holder: its id, the number of its scope, the id of its resource, its expiry and its start."""

_ARRAY, _LENGTH = 0xDD, struct.Struct(">I")
"""The first byte of an array in MessagePack, and the number of its items after it. It is the form for any number."""

_pack = msgspec.msgpack.Encoder().encode
_unpack = msgspec.msgpack.Decoder(list[PackedGrant]).decode


class PackedGrants:
    """The grants of a model by holder, in bytes. PERF: a million grants take 50 MiB instead of 300 MiB.

    A scope is the id of a resource type and some of its actions. `scopes` are all that grants have, by their numbers.
    """

    def __init__(self) -> None:
        self.scopes: list[tuple[str, tuple[str, ...]]] = []
        self._packed: dict[GrantHolder, bytearray] = {}
        self._count = 0

    def add_scope(self, type: str, actions: tuple[str, ...]) -> int:
        """Adds a scope that is new. Returns its number."""
        self.scopes.append((type, actions))
        return len(self.scopes) - 1

    def add(self, holder: GrantHolder, grant: PackedGrant) -> None:
        """Adds a grant of a subject or a group."""
        packed = self._packed.get(holder)
        if packed is None:
            packed = self._packed[holder] = bytearray((_ARRAY, 0, 0, 0, 0))
        _LENGTH.pack_into(packed, 1, _LENGTH.unpack_from(packed, 1)[0] + 1)
        packed += _pack(grant)
        self._count += 1

    def of(self, holder: GrantHolder) -> list[PackedGrant]:
        """Returns the grants of a subject or a group. It leaves out those that a subject has through its groups."""
        packed = self._packed.get(holder)
        return [] if packed is None else _unpack(packed)

    def by_holder(self) -> Iterator[tuple[GrantHolder, list[PackedGrant]]]:
        """Yields each subject and each group with its grants."""
        return ((holder, _unpack(packed)) for holder, packed in self._packed.items())

    def __len__(self) -> int:
        """Returns the number of grants."""
        return self._count

    def __iter__(self) -> Iterator[Grant]:
        """Yields each grant."""
        for holder, grants in self.by_holder():
            for id, scope, resource, expires, starts in grants:
                type, actions = self.scopes[scope]
                yield Grant(id, holder, EntityKey(type, resource), actions, expires, starts)


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


_ONLY_NAMED = ResourceFacts()


@dataclass(slots=True)
class Facts:
    """All facts of one model. `subjects` has every subject that a fact names (E3).

    `resources` has the listed resources. `registered` has those too that only a grant names (E3).
    """

    groups: dict[str, GroupFacts] = field(default_factory=dict)
    subjects: dict[EntityKey, SubjectFacts] = field(default_factory=dict)
    resources: dict[EntityKey, ResourceFacts] = field(default_factory=dict)
    grants: PackedGrants = field(default_factory=PackedGrants)

    def registered_ids(self) -> dict[str, set[str]]:
        """Returns the ids of all registered resources, by the id of their type."""
        found: dict[str, set[str]] = defaultdict(set)
        for type, id in self.resources:
            found[type].add(id)
        by_scope = [found[type] for type, _ in self.grants.scopes]
        for _, grants in self.grants.by_holder():
            for _, scope, id, _, _ in grants:
                by_scope[scope].add(id)
        return found

    def registered(self) -> dict[EntityKey, ResourceFacts]:
        """Returns all registered resources. PERF: it takes four times the memory of `registered_ids`."""
        keys = (EntityKey(type, id) for type, ids in self.registered_ids().items() for id in ids)
        return {key: self.resources.get(key, _ONLY_NAMED) for key in keys}


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
