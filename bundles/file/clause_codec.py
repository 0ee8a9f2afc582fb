"""Encodes clauses as JSON arrays that name types and roles by number, and decodes them.

Clauses are JSON because their constants are JSON. So integers of any size and all strings stay the same.
"""

import json
from collections.abc import Sequence
from typing import Any, TypeAlias, cast

import msgspec

from ..conditions.operators import Operator, Ordering
from ..conditions.references import Source, ValueOf
from ..conditions.windows import TimeWindow
from ..errors import UNREADABLE, BundleError
from ..prepared import prepared
from ..program.clauses import (
    AgainstNow,
    Atom,
    AttributeSection,
    Clause,
    Comparison,
    During,
    Effect,
    From,
    Rate,
    Reference,
)
from .fact_records import Number


class _Row(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A JSON array with exactly these members, each of exactly this type."""


class _Compare(_Row, frozen=True, tag="compare"):
    section: AttributeSection
    key: str
    op: Operator
    value: Any


class _Refer(_Row, frozen=True, tag="refer"):
    section: AttributeSection
    key: str
    op: Operator
    source: Source
    source_key: str


class _AgainstNow(_Row, frozen=True, tag="now"):
    section: AttributeSection
    key: str
    op: Operator


class _During(_Row, frozen=True, tag="during"):
    not_before: int | None
    not_after: int | None
    days: tuple[int, ...]
    start: int
    end: int
    timezone: str


class _From(_Row, frozen=True, tag="from"):
    blocks: tuple[str, ...]


class _Rate(_Row, frozen=True, tag="rate"):
    limit: int
    window_seconds: int


_AtomRow: TypeAlias = _Compare | _Refer | _AgainstNow | _During | _From | _Rate


@prepared
class _ClauseRow(_Row, frozen=True):
    """A clause with roles and types by number."""

    effect: Effect
    policy: str
    name: str
    priority: int
    roles: tuple[Number, ...] | None
    types: tuple[Number, ...]
    actions: tuple[str, ...]
    body: tuple[_AtomRow, ...]
    except_roles: tuple[Number, ...] = ()


def encode_clause(clause: Clause, types: dict[str, int], roles: dict[str, int]) -> bytes:
    """Returns a clause as JSON. `types` and `roles` are the numbers of types and roles, by id."""
    row = _ClauseRow(
        effect=clause.effect,
        policy=clause.policy,
        name=clause.name,
        priority=clause.priority,
        roles=None if clause.roles is None else tuple(roles[role] for role in clause.roles),
        types=tuple(types[type] for type in clause.types),
        actions=clause.actions,
        body=tuple(map(_atom_row, clause.body)),
        except_roles=tuple(roles[role] for role in clause.except_roles),
    )
    return json.dumps(msgspec.to_builtins(row), separators=(",", ":"), sort_keys=True).encode()


def decode_clause(data: bytes, types: Sequence[str], roles: Sequence[str]) -> Clause:
    """Returns the clause that `encode_clause` encoded. `types` and `roles` are the ids in the order of their numbers.

    Raises BundleError if the bytes are not a clause.
    """
    try:
        row = msgspec.convert(json.loads(data), _ClauseRow)
        return Clause(
            effect=row.effect,
            policy=row.policy,
            name=row.name,
            priority=row.priority,
            roles=None if row.roles is None else tuple(roles[number] for number in row.roles),
            types=tuple(types[number] for number in row.types),
            actions=row.actions,
            body=tuple(map(_atom, row.body)),
            except_roles=tuple(roles[number] for number in row.except_roles),
        )
    except (msgspec.MsgspecError, *UNREADABLE) as ex:
        raise BundleError(f"the bundle is damaged: a clause can't be read: {ex}") from None


def _atom_row(atom: Atom) -> _AtomRow:
    match atom:
        case Comparison(section, key, op, value):
            return _Compare(section, key, op, value)
        case Reference(section, key, op, value_of):
            return _Refer(section, key, op, *value_of)
        case AgainstNow(section, key, op):
            return _AgainstNow(section, key, op)
        case During(window):
            span = (window.not_before, window.not_after)
            return _During(*span, tuple(sorted(window.days)), window.start, window.end, window.timezone)
        case From(blocks):
            return _From(blocks)
        case Rate(limit, window_seconds):
            return _Rate(limit, window_seconds)


def _atom(row: _AtomRow) -> Atom:
    match row:
        case _Compare(section, key, op, value):
            return Comparison(section, key, op, value)
        case _Refer(section, key, op, source, source_key):
            return Reference(section, key, op, ValueOf(source, source_key))
        case _AgainstNow(section, key, op):
            return AgainstNow(section, key, cast(Ordering, op))  # the laws of a program look at it
        case _During(not_before, not_after, days, start, end, timezone):
            return During(TimeWindow(not_before, not_after, frozenset(days), start, end, timezone))
        case _From(blocks):
            return From(blocks)
        case _Rate(limit, window_seconds):
            return Rate(limit, window_seconds)
