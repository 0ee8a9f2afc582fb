"""Facts as bytes: the keys of the tables and the records behind them.

No two lists of parts give one key: a part of any length that is not the last has its length in front, and a number
ends with the colon behind it.
"""

from collections.abc import Callable
from typing import Annotated, Any, TypeAlias

import msgspec

from ..conditions.instants import EARLIEST, SECOND
from ..errors import UNREADABLE, BundleError

Number: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
"""A number that stands for a role, group, type or set of actions."""

Id: TypeAlias = Annotated[str, msgspec.Meta(max_length=512)]
"""An id that answers repeat (E1)."""

Expiry: TypeAlias = Annotated[float, msgspec.Meta(ge=EARLIEST / SECOND)]
"""Epoch seconds, infinite for what does not expire; never NaN, which is in no order with a clock (P4)."""


class Held(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A role by number, held until `expires`."""

    role: Number
    expires: Expiry


LISTED_GRANTS = 16
"""Up to so many granted resources are listed with their subject."""


class SubjectRecord(msgspec.Struct, frozen=True, array_like=True):
    """What decisions need of a subject: its direct groups by number, its direct roles, and on what it has grants.

    `granted` lists those resources by type's number and id, in order; it is None where they are more than
    LISTED_GRANTS.
    """

    groups: tuple[Number, ...]
    holdings: tuple[Held, ...]
    granted: tuple[tuple[Number, str], ...] | None


class GroupRecord(msgspec.Struct, frozen=True, array_like=True):
    """A group: its id, all groups that it is in, to any depth, by number, and the roles assigned to it itself (P3)."""

    id: str
    ancestors: tuple[Number, ...]
    holdings: tuple[Held, ...]


class GrantRecord(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A direct grant; `actions` is the number of a set of actions."""

    id: Id
    actions: Number
    expires: Expiry


class EntityRecord(msgspec.Struct, frozen=True, array_like=True):
    """What the registry says of an entity; `attributes` is JSON text, empty where there are none."""

    external_id: str | None
    name: str | None
    attributes: bytes


class HolderRecord(msgspec.Struct, frozen=True, array_like=True):
    """Who holds a role, or is in a group, directly: subjects by key and groups by number."""

    subjects: tuple[tuple[str, str], ...]
    groups: tuple[Number, ...]


class Names(msgspec.Struct, frozen=True, array_like=True):
    """What numbers stand for: types as (id, name, actions, closed), roles, sets of actions, zones as TZif files."""

    types: tuple[tuple[str, str, tuple[str, ...], bool], ...]
    roles: tuple[str, ...]
    action_sets: tuple[tuple[str, ...], ...]
    zones: dict[str, bytes]


_encoder = msgspec.msgpack.Encoder(order="deterministic")
encode_record = _encoder.encode
_decoders: dict[Any, msgspec.msgpack.Decoder[Any]] = {
    kind: msgspec.msgpack.Decoder(kind)
    for kind in (
        SubjectRecord,
        GroupRecord,
        EntityRecord,
        HolderRecord,
        Names,
        tuple[GrantRecord, ...],
        tuple[tuple[str, str], ...],
        tuple[str, ...],
        str,
    )
}


def decode_record(kind: Any, data: bytes) -> Any:
    """A record of that kind. Raises BundleError for bytes that are none."""
    try:
        return _decoders[kind].decode(data)
    except (msgspec.MsgspecError, *UNREADABLE) as ex:
        raise BundleError(f"the bundle is damaged: a record can't be read: {ex}") from None


decode_grants: Callable[[bytes], tuple[GrantRecord, ...]] = _decoders[tuple[GrantRecord, ...]].decode
"""PERF: called directly on the hot path, where one more call is a tenth of the look-up."""


def subject_key(type: str, id: str) -> bytes:
    """Key of a subject (E1)."""
    return f"{len(type)}:{type}{id}".encode("utf-8", "surrogatepass")


def resource_key(type: int, id: str) -> bytes:
    """Key of a resource; `type` is the number of its type (E1)."""
    return f"{type}:{id}".encode("utf-8", "surrogatepass")


def grants_prefix(type: str, id: str) -> str:
    """The part of a grant's key that is the subject's."""
    return f"{len(type)}:{len(id)}:{type}{id}"


def grants_key(prefix: str, type: int, resource_id: str) -> bytes:
    """Key of the grants of one subject, as `grants_prefix` gives it, on one resource (P4)."""
    try:
        return f"{prefix}{type}:{resource_id}".encode()  # PERF: naming an error handler costs 50 ns
    except UnicodeEncodeError:
        return f"{prefix}{type}:{resource_id}".encode("utf-8", "surrogatepass")


def subject_alias_key(type: str, external_id: str) -> bytes:
    """Key of a subject's id behind its external id (E1, E3)."""
    return f"s{len(type)}:{type}{external_id}".encode("utf-8", "surrogatepass")


def resource_alias_key(kind: str, type: int, alias: str) -> bytes:
    """Key of a resource's id behind its external id (`kind` "external_id") or its name ("name") (E1, E3)."""
    return f"{kind[0]}{type}:{alias}".encode("utf-8", "surrogatepass")
