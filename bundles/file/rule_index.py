"""The rule index: the clauses on each (type, action), and the roles with an ALLOW on each type."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

import msgspec

from ..errors import UNREADABLE, BundleError
from ..program.clauses import Clause, Program
from .bucket_table import Entry
from .fact_records import Number


class RuleIndex(msgspec.Struct, frozen=True, array_like=True):
    """The numbers of the clauses on one (type, action): those for everyone, and those for each role by number.

    It says nothing about exceptions: a clause of `everyone` that has some does not apply to their holders (P6).
    """

    everyone: tuple[Number, ...]
    by_role: dict[Number, tuple[Number, ...]]


_Excepting: TypeAlias = tuple[tuple[Number, ...] | None, tuple[Number, ...]]


class AllowIndex(msgspec.Struct, frozen=True, array_like=True):
    """True if everyone, or which roles, have an ALLOW on one type, for any of its actions (D5).

    An ALLOW with exceptions is only in `excepting`: its roles that have no other ALLOW, or None for everyone, and the
    roles that it leaves out (P6). If everyone has an ALLOW, there are none.
    """

    everyone: bool
    roles: tuple[Number, ...]
    excepting: tuple[_Excepting, ...]


AnyIndex: TypeAlias = RuleIndex | AllowIndex

_encode = msgspec.msgpack.Encoder().encode
_rule_decoder = msgspec.msgpack.Decoder(RuleIndex)
_allow_decoder = msgspec.msgpack.Decoder(AllowIndex)


def rules_key(type: int, action: str) -> bytes:
    """Returns the key of a RuleIndex. An action is never empty, so no AllowIndex has this key."""
    return f"{type}:{action}".encode("utf-8", "surrogatepass")


def allows_key(type: int) -> bytes:
    """Returns the key of an AllowIndex."""
    return f"{type}:".encode()


def encode_index(index: AnyIndex) -> bytes:
    """Returns an index as MessagePack."""
    return _encode(index)


def decode_rules(data: bytes) -> RuleIndex:
    """Returns the RuleIndex that `encode_index` encoded. Raises BundleError for other bytes."""
    try:
        return _rule_decoder.decode(data)
    except (msgspec.MsgspecError, *UNREADABLE) as ex:
        raise BundleError(f"the bundle is damaged: a rule index can't be read: {ex}") from None


def decode_allows(data: bytes) -> AllowIndex:
    """Returns the AllowIndex that `encode_index` encoded. Raises BundleError for other bytes."""
    try:
        return _allow_decoder.decode(data)
    except (msgspec.MsgspecError, *UNREADABLE) as ex:
        raise BundleError(f"the bundle is damaged: a rule index can't be read: {ex}") from None


def index_entries(program: Program) -> Iterator[Entry]:
    """Yields the entries of the section `rules`. The number of a clause, type or role is its place in the program."""
    types = {type.id: number for number, type in enumerate(program.types)}
    numbers = {role: number for number, role in enumerate(program.roles)}
    by_action: dict[tuple[str, str], dict[str | None, list[int]]] = defaultdict(lambda: defaultdict(list))
    allowed: dict[str, set[int]] = defaultdict(set)
    for number, clause in enumerate(program.clauses):
        for type in clause.types:
            if clause.effect == "ALLOW":
                allowed[type].add(number)
            for action in clause.actions:
                by_role = by_action[type, action]
                for role in _roles_of(clause):
                    by_role[role].append(number)
    for (type, action), by_role in by_action.items():
        numbered = {numbers[role]: tuple(found) for role, found in by_role.items() if role is not None}
        index = RuleIndex(tuple(by_role.get(None, ())), dict(sorted(numbered.items())))
        yield rules_key(types[type], action), encode_index(index)
    for type, allows in allowed.items():
        index_of_allows = allow_index((program.clauses[number] for number in allows), numbers.__getitem__)
        yield allows_key(types[type]), encode_index(index_of_allows)


def allow_index(allows: Iterable[Clause], role_number: Callable[[str], int]) -> AllowIndex:
    """Returns the index of the ALLOWs on one type. `role_number` gives the number of a role."""
    everyone, roles, excepting = False, set[int](), []
    for clause in allows:
        if clause.except_roles:
            excepting.append(clause)
        elif clause.roles is None:
            everyone = True
        else:
            roles.update(map(role_number, clause.roles))
    found: set[_Excepting] = set()
    for clause in () if everyone else excepting:
        left = None if clause.roles is None else tuple(sorted({*map(role_number, clause.roles)} - roles))
        if left != ():
            found.add((left, tuple(sorted(map(role_number, clause.except_roles)))))
    in_order = sorted(found, key=lambda one: (one[0] or (), one[1]))
    return AllowIndex(everyone, tuple(sorted(roles)), tuple(in_order))


def _roles_of(clause: Clause) -> Sequence[str | None]:
    return (None,) if clause.roles is None else clause.roles
