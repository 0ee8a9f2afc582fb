"""A delta: the changes that one revision makes to the program and the facts.

A change is the whole new state of one thing, so applying it twice does no harm. If a delta has two states of the same
thing, the later one counts. Changes name types, roles and groups by their ids, so a delta fits every bundle of its
environment.
"""

from typing import Final, TypeAlias

import msgspec

from .errors import UNREADABLE, BundleError
from .file.clause_codec import decode_clause, encode_clause
from .formats import FIRST_FORMAT, check_format
from .manifest import check_needs
from .program.clauses import Clause, ResourceType
from .program.facts import ALWAYS, EntityKey, GrantHolder, Holding
from .routing.routing import Routing


class Change(msgspec.Struct, frozen=True, array_like=True, tag_field="change"):
    """The new state of one thing: one of the subclasses."""


class TypeChange(Change, frozen=True, array_like=True, tag=True):
    """A resource type by its id. The state is None if the type is gone."""

    id: str
    state: tuple[str, tuple[str, ...], bool] | None
    """The name of the type, its actions in order, and whether it is closed."""

    def type(self) -> ResourceType | None:
        """Returns the declared type, or None if it is gone."""
        return None if self.state is None else ResourceType(self.id, *self.state)


class RoleChange(Change, frozen=True, array_like=True, tag=True):
    """A role by its id. If a role is gone, the delta also has a change for each former holder."""

    id: str
    present: bool


class ClauseState(msgspec.Struct, frozen=True, array_like=True):
    """A clause encoded as in a bundle, with the ids of the types and roles that its numbers stand for."""

    types: tuple[str, ...]
    roles: tuple[str, ...]
    clause: bytes


class PolicyChange(Change, frozen=True, array_like=True, tag=True):
    """The clauses of a policy. There are none if the policy is gone or disabled."""

    id: str
    clauses: tuple[ClauseState, ...]


class GroupChange(Change, frozen=True, array_like=True, tag=True):
    """A group: all groups above it, at any depth, and the roles and grants of the group itself (P2, P3, P7).

    `granted` are the resources on which it has grants, as those of a subject.
    """

    id: str
    ancestors: tuple[str, ...]
    holdings: tuple[Holding, ...]
    granted: tuple[EntityKey, ...] | None = ()
    present: bool = True


class SubjectChange(Change, frozen=True, array_like=True, tag=True):
    """A registered subject: direct groups, direct roles, and the resources on which it has grants.

    `granted` is None if there are more than `fact_records.LISTED_GRANTS`. If `present` is false, the subject is no
    longer registered.
    """

    key: EntityKey
    groups: tuple[str, ...] = ()
    holdings: tuple[Holding, ...] = ()
    granted: tuple[EntityKey, ...] | None = ()
    present: bool = True


class GrantState(msgspec.Struct, frozen=True, array_like=True):
    """A direct grant: its id, its actions with wildcards expanded, its expiry and start in epoch seconds (P4)."""

    id: str
    actions: tuple[str, ...]
    expires: float
    starts: float = ALWAYS


class GrantsChange(Change, frozen=True, array_like=True, tag=True):
    """All grants of one subject or group on one resource, by id, whether they are in force or not.

    The key of the resource has its type's id.
    """

    holder: GrantHolder
    resource: EntityKey
    grants: tuple[GrantState, ...]


class ResourceChange(Change, frozen=True, array_like=True, tag=True):
    """True if a resource is registered (E7).

    A bundle lists only the instances of closed types. So a delta that closes a type contains all of its instances.
    """

    key: EntityKey
    present: bool


class AliasChange(Change, frozen=True, array_like=True, tag=True):
    """The id behind an alias, or None if the alias is gone (E3). `kind` is `external_id` or `name`."""

    entity: str
    """`subject` or `resource`."""
    type: str
    kind: str
    alias: str
    id: str | None


class RoutingChange(Change, frozen=True, array_like=True, tag=True):
    """All routes in their order, and the gateway settings."""

    routing: Routing


MAX_ROUTES = 1_000
"""The most routes of a delta. If there are more, a change of them needs a new bundle."""


AnyChange: TypeAlias = (
    TypeChange
    | RoleChange
    | PolicyChange
    | GroupChange
    | SubjectChange
    | GrantsChange
    | ResourceChange
    | AliasChange
    | RoutingChange
)


class Delta(msgspec.Struct, frozen=True):
    """The changes of a revision. `zones` has the TZif files of the time zones that its clauses name.

    `needs` are the names of rules that came later, and that its policies or routes rely on. A Writ that does not know
    one refuses the delta.
    """

    revision: int
    changes: tuple[AnyChange, ...]
    zones: dict[str, bytes] = {}
    needs: tuple[str, ...] = ()


DELTA_FORMAT: Final = FIRST_FORMAT
"""The format of deltas, which stands before each of them. A Writ that does not know it refuses the delta."""


class _Head(msgspec.Struct, frozen=True, array_like=True):
    """The start of an encoded delta, which is the same in every format."""

    format: int


_encoder = msgspec.msgpack.Encoder(order="deterministic")
_head_decoder = msgspec.msgpack.Decoder(_Head)


class _Encoded(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """The fields of an encoded delta. The last one is left out if it is empty."""

    format: int
    revision: int
    changes: tuple[AnyChange, ...]
    zones: dict[str, bytes]
    needs: tuple[str, ...] = ()


_decoder = msgspec.msgpack.Decoder(_Encoded)


def encode_delta(delta: Delta) -> bytes:
    """Returns a delta as bytes: in MessagePack, with its format before its fields."""
    needs = (delta.needs,) if delta.needs else ()
    return _encoder.encode((DELTA_FORMAT, delta.revision, [*map(_written, delta.changes)], delta.zones, *needs))


def _written(change: AnyChange) -> object:
    """Returns what stands for a change. That of the routing leaves out what came later and no route uses."""
    if not isinstance(change, RoutingChange):
        return change
    return RoutingChange.__name__, change.routing.as_written()


def decode_delta(data: bytes) -> Delta:
    """Returns the delta that `encode_delta` encoded. Raises BundleError for other bytes, and for a newer format."""
    try:
        check_format("the delta", _head_decoder.decode(data).format, DELTA_FORMAT)
        found = _decoder.decode(data)
    except (msgspec.MsgspecError, *UNREADABLE) as ex:
        raise BundleError(f"a delta can't be read: {ex}") from None
    check_needs("the delta", found.needs)
    return Delta(found.revision, found.changes, found.zones, found.needs)


def policy_change(id: str, clauses: tuple[Clause, ...]) -> PolicyChange:
    """Returns the change of a policy to these clauses."""
    return PolicyChange(id, tuple(_state(clause) for clause in clauses))


def clauses_of(change: PolicyChange) -> tuple[Clause, ...]:
    """Returns the clauses of a policy. Raises BundleError if the bytes are not clauses."""
    return tuple(decode_clause(state.clause, state.types, state.roles) for state in change.clauses)


def _state(clause: Clause) -> ClauseState:
    types = {type: number for number, type in enumerate(clause.types)}
    named = dict.fromkeys((*(clause.roles or ()), *clause.except_roles))
    roles = {role: number for number, role in enumerate(named)}
    return ClauseState(tuple(types), tuple(roles), encode_clause(clause, types, roles))
