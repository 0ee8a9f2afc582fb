"""Clauses and their index as bytes.

Clauses are JSON because constants are: an integer of any size and a string of any content come back as they were.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from bundles.conditions.windows import TimeWindow
from bundles.errors import UNREADABLE, BundleError
from bundles.program import Atom, Clause, Comparison, During, From, Rate


class RuleIndex(msgspec.Struct, frozen=True, array_like=True):
    """The numbers of the clauses on one (type, action): those for everyone, and those for each role."""

    everyone: tuple[int, ...]
    by_role: dict[int, tuple[int, ...]]


class AllowIndex(msgspec.Struct, frozen=True, array_like=True):
    """Who has some ALLOW on one type, whatever the action: everyone, or the holders of some roles (D5)."""

    everyone: bool
    roles: tuple[int, ...]


_encoder = msgspec.msgpack.Encoder()
_rule_decoder = msgspec.msgpack.Decoder(RuleIndex)
_allow_decoder = msgspec.msgpack.Decoder(AllowIndex)


def rules_key(type: int, action: str) -> bytes:
    """Key of a RuleIndex; an action is never empty, so the key of an AllowIndex is never one of these."""
    return f"{type}:{action}".encode("utf-8", "surrogatepass")


def allows_key(type: int) -> bytes:
    """Key of an AllowIndex."""
    return f"{type}:".encode()


def encode_index(index: RuleIndex | AllowIndex) -> bytes:
    """The inverse of `decode_rules` and `decode_allows`."""
    return _encoder.encode(index)


def decode_rules(data: bytes) -> RuleIndex:
    """Raises BundleError for bytes that are no RuleIndex."""
    try:
        return _rule_decoder.decode(data)
    except (msgspec.MsgspecError, *UNREADABLE) as ex:
        raise BundleError(f"the bundle is damaged: a rule index can't be read: {ex}") from None


def decode_allows(data: bytes) -> AllowIndex:
    """Raises BundleError for bytes that are no AllowIndex."""
    try:
        return _allow_decoder.decode(data)
    except (msgspec.MsgspecError, *UNREADABLE) as ex:
        raise BundleError(f"the bundle is damaged: a rule index can't be read: {ex}") from None


def encode_clause(clause: Clause, types: dict[str, int], roles: dict[str, int]) -> bytes:
    """A clause with types and roles by number."""
    held = None if clause.roles is None else [roles[role] for role in clause.roles]
    covered = [types[type] for type in clause.types]
    head = [clause.effect, clause.policy, clause.name, clause.priority, held, covered, clause.actions]
    return json.dumps([*head, [_atom_row(atom) for atom in clause.body]], separators=(",", ":")).encode()


def decode_clause(data: bytes, types: Sequence[str], roles: Sequence[str]) -> Clause:
    """The inverse of `encode_clause`. Raises BundleError for bytes that are no clause."""
    try:
        effect, policy, name, priority, held, covered, actions, body = json.loads(data)
        return Clause(
            effect=effect,
            policy=policy,
            name=name,
            priority=int(priority),
            roles=None if held is None else tuple(_named(roles, held)),
            types=tuple(_named(types, covered)),
            actions=tuple(actions),
            body=tuple(_atom(*row) for row in body),
        )
    except UNREADABLE as ex:
        raise BundleError(f"the bundle is damaged: a clause can't be read: {ex}") from None


def _named(names: Sequence[str], numbers: Iterable[int]) -> Iterator[str]:
    for number in numbers:
        if number < 0:
            raise ValueError(f"there is no number {number}")
        yield names[number]


def _atom_row(atom: Atom) -> list[Any]:
    match atom:
        case Comparison(section, key, op, value):
            return ["compare", section, key, op, value]
        case During(window):
            span = [window.not_before, window.not_after]
            return ["during", *span, sorted(window.days), window.start, window.end, window.timezone]
        case From(blocks):
            return ["from", *blocks]
        case Rate(limit, window_seconds):
            return ["rate", limit, window_seconds]


def _atom(kind: str, *row: Any) -> Atom:
    match kind:
        case "compare":
            return Comparison(*row)
        case "during":
            not_before, not_after, days, start, end, timezone = row
            return During(TimeWindow(not_before, not_after, frozenset(days), start, end, timezone))
        case "from":
            return From(row)
        case "rate":
            return Rate(*row)
        case _:
            raise ValueError(f"unknown condition `{kind}`")
