"""The records of facts, and the keys under which bucket tables hold them.

Records name types, roles, groups and sets of actions by number, and are MessagePack arrays of their fields.

Two different facts never have the same key. Each part of a key, except the last, has a known end: its length stands
before it, or it is a number with a colon after it, or one letter.
"""

from typing import Annotated, TypeAlias

import msgspec

from ..conditions.instants import EARLIEST, END, SECOND
from ..program.facts import ALWAYS, EntityKey, GrantHolder

Number: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
"""The number of a role, group, type or set of actions."""

Id: TypeAlias = Annotated[str, msgspec.Meta(max_length=512)]
"""An id that answers repeat (E1)."""

Expiry: TypeAlias = Annotated[float, msgspec.Meta(ge=EARLIEST / SECOND)]
"""Epoch seconds, or infinity if the fact does not expire. Never NaN, which can't be compared with a clock (P4)."""

Start: TypeAlias = Annotated[float, msgspec.Meta(le=END / SECOND)]
"""Epoch seconds, or minus infinity if the fact has no start. Never NaN (P4)."""

Granted: TypeAlias = tuple[tuple[Number, str], ...] | None
"""The resources on which a subject or a group has grants itself, in order, as (number of the type, id).

It is None if there are more than LISTED_GRANTS.
"""

LISTED_GRANTS = 16
"""The record of a subject or a group lists the resources on which it has grants itself, up to this number."""


class Names(msgspec.Struct, frozen=True, array_like=True):
    """The names in the order of their numbers, and the TZif files of time zones by name.

    A type is (id, name, actions, closed). `required` are the attributes of the context that each request has to send.
    """

    types: tuple[tuple[str, str, tuple[str, ...], bool], ...]
    roles: tuple[str, ...]
    action_sets: tuple[tuple[str, ...], ...]
    zones: dict[str, bytes]
    required: tuple[str, ...] = ()


class HoldingRecord(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A role by number, held from `starts` until `expires` (P4)."""

    role: Number
    expires: Expiry
    starts: Start = ALWAYS


class GroupRecord(msgspec.Struct, frozen=True, array_like=True):
    """A group: its id, and all groups above it by number, at any depth (P3).

    `holdings` and `granted` are the roles and the grants of the group itself (P2, P7).
    """

    id: str
    ancestors: tuple[Number, ...]
    holdings: tuple[HoldingRecord, ...]
    granted: Granted


class SubjectRecord(msgspec.Struct, frozen=True, array_like=True):
    """The facts of a subject that decisions need: direct groups by number, direct roles, and resources with grants."""

    groups: tuple[Number, ...]
    holdings: tuple[HoldingRecord, ...]
    granted: Granted


class GrantRecord(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A direct grant, in force from `starts` until `expires`. `actions` is the number of a set of actions (P4)."""

    id: Id
    actions: Number
    expires: Expiry
    starts: Start = ALWAYS


encode_record = msgspec.msgpack.Encoder(order="deterministic").encode
"""Encodes a record as MessagePack."""


def subject_key(type: str, id: str) -> bytes:
    """Returns the key of a subject (E1)."""
    return f"{len(type)}:{type}{id}".encode("utf-8", "surrogatepass")


def read_subject_key(key: bytes) -> tuple[str, str]:
    """Returns the type and the id that `subject_key` was made of. Raises ValueError for a key that it does not make.

    >>> read_subject_key(subject_key("user", "a:1"))
    ('user', 'a:1')
    """
    size, _, names = key.decode("utf-8", "surrogatepass").partition(":")
    return names[: int(size)], names[int(size) :]


def resource_key(type: int, id: str) -> bytes:
    """Returns the key of a resource. `type` is the number of its type (E1)."""
    return f"{type}:{id}".encode("utf-8", "surrogatepass")


def grants_prefix(type: str, id: str) -> str:
    """Returns the first part of a grant's key, which names the subject."""
    return f"{len(type)}:{len(id)}:{type}{id}"


def group_grants_prefix(group: str) -> str:
    """Returns the first part of a grant's key, which names the group. That of a subject begins with a digit (P7)."""
    return f"g{len(group)}:{group}"


def prefix_of(holder: GrantHolder) -> str:
    """Returns the first part of a grant's key, which names the holder."""
    return group_grants_prefix(holder) if isinstance(holder, str) else grants_prefix(*holder)


def grants_key(prefix: str, type: int, resource_id: str) -> bytes:
    """Returns the key of one holder's grants on one resource. `prefix` is the holder's `prefix_of` (P4, P7)."""
    try:
        return f"{prefix}{type}:{resource_id}".encode()  # PERF: naming an error handler costs 50 ns
    except UnicodeEncodeError:
        return f"{prefix}{type}:{resource_id}".encode("utf-8", "surrogatepass")


def read_grants_key(key: bytes) -> tuple[str, int, str]:
    """Returns the prefix, the number of the type and the id of the resource that `grants_key` was made of.

    Raises ValueError for a key that it does not make.

    >>> read_grants_key(grants_key(grants_prefix("user", "a:1"), 2, "d:1"))
    ('4:3:usera:1', 2, 'd:1')
    >>> read_grants_key(grants_key(group_grants_prefix("team"), 2, "d:1"))
    ('g4:team', 2, 'd:1')
    """
    text = key.decode("utf-8", "surrogatepass")
    end = _end_of_prefix(text)
    number, _, resource_id = text[end:].partition(":")
    return text[:end], int(number), resource_id


def holder_of(prefix: str) -> GrantHolder:
    """Returns the holder that `prefix_of` names. Raises ValueError for another text.

    >>> holder_of("4:3:usera:1"), holder_of("g4:team")
    (EntityKey(type='user', id='a:1'), 'team')
    """
    if prefix.startswith("g"):
        return prefix.partition(":")[2]
    type_size, id_size, names = prefix.split(":", 2)
    return EntityKey(names[: int(type_size)], names[int(type_size) : int(type_size) + int(id_size)])


def _end_of_prefix(text: str) -> int:
    if text.startswith("g"):
        size, _, _ = text[1:].partition(":")
        return 2 + len(size) + int(size)
    type_size, id_size, _ = text.split(":", 2)
    return 2 + len(type_size) + len(id_size) + int(type_size) + int(id_size)


def subject_alias_key(type: str, external_id: str) -> bytes:
    """Returns the key for a subject's id by its external id (E1, E3)."""
    return f"s{len(type)}:{type}{external_id}".encode("utf-8", "surrogatepass")


def resource_alias_key(kind: str, type: int, alias: str) -> bytes:
    """Returns the key for a resource's id by its alias. `kind` is `external_id` or `name` (E1, E3)."""
    return f"{kind[0]}{type}:{alias}".encode("utf-8", "surrogatepass")
