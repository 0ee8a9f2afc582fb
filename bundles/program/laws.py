"""The laws of a legal program, as tables. Compiler passes and readers of bundles check them."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from math import isfinite
from typing import Any, TypeAlias, assert_never

from ..conditions.addresses import parse_block
from ..conditions.constants import list_elements
from ..conditions.instants import EARLIEST, END
from ..conditions.operators import OPERATORS, ConstantKind, Operator
from ..conditions.patterns import MAX_PATTERN_CHARACTERS, instructions_of
from ..conditions.references import NOW_SECTIONS, SOURCES, ValueOf, may_stand_in, takes_now, takes_reference
from ..conditions.values import Json, is_number, is_text
from ..conditions.windows import DAY_MINUTES, DAYS, TimeWindow
from .clauses import (
    ATTRIBUTE_SECTIONS,
    AgainstNow,
    Clause,
    Comparison,
    During,
    From,
    Program,
    Rate,
    Reference,
    ResourceType,
)

MAX_NESTING = 64
"""Arrays and objects around a value in a constant, so that recursive functions have enough stack."""

MAX_LIST_ELEMENTS = 10_000
"""Elements of the list of an operator of lists. A set of numbers with chosen hash collisions is slow to build."""

MAX_NAME_CHARACTERS = 512
"""Characters of a policy's id and name, which answers contain (E1)."""

MAX_KEY_CHARACTERS = 256
"""Characters of a condition's key."""

_LONGEST_BLOCK = 64
_INT32 = 2**31


class IllegalProgram(ValueError):
    """A program breaks a law. The message names the law, and the policy if a clause breaks it."""


Types: TypeAlias = Mapping[str, ResourceType]

CLAUSE_LAWS: dict[str, Callable[[Clause, Types], bool]] = {
    "the effect is ALLOW or DENY": lambda clause, _: clause.effect in ("ALLOW", "DENY"),
    "the policy has an id, and both its names are short text": lambda clause, _: (
        clause.policy != "" and _is_name(clause.policy) and _is_name(clause.name)
    ),
    "the priority is a whole number of 32 bits": lambda clause, _: _is_whole(clause.priority, -_INT32, _INT32 - 1),
    "roles are left out, or at least one, sorted and unique": lambda clause, _: (
        clause.roles is None or (len(clause.roles) > 0 and _is_sorted(clause.roles))
    ),
    "exceptions are sorted and unique, and apart from the roles (P6)": lambda clause, _: (
        _is_sorted(clause.except_roles) and set(clause.except_roles).isdisjoint(clause.roles or ())
    ),
    "at least one type and one action are covered": lambda clause, _: bool(clause.types) and bool(clause.actions),
    "types and actions are sorted and unique": lambda clause, _: (
        _is_sorted(clause.types) and _is_sorted(clause.actions)
    ),
    "every type is declared": lambda clause, types: all(id in types for id in clause.types),
    "every type declares every action": lambda clause, types: all(
        types[id].action_set.issuperset(clause.actions) for id in clause.types
    ),
    "every condition is legal": lambda clause, _: all(_is_legal(atom) for atom in clause.body),
    "no DENY has a rate limit (C10)": lambda clause, _: (
        clause.effect == "ALLOW" or not any(isinstance(atom, Rate) for atom in clause.body)
    ),
    "there is one rate limit at most (C10)": lambda clause, _: sum(isinstance(atom, Rate) for atom in clause.body) <= 1,
}
"""The laws of a clause, by their words. A law may rely on the laws before it."""

PROGRAM_LAWS: dict[str, Callable[[Program], bool]] = {
    "types are sorted by id and unique": lambda program: _is_sorted([type.id for type in program.types]),
    "type names are unique": lambda program: len({type.name for type in program.types}) == len(program.types),
    "actions are sorted, unique and named": lambda program: all(
        _is_sorted(type.actions) and "" not in type.action_set for type in program.types
    ),
    "roles are sorted and unique": lambda program: _is_sorted(program.roles),
    "clauses are sorted by policy, types and actions, and unique": lambda program: _is_sorted(
        [(clause.policy, clause.types, clause.actions) for clause in program.clauses]
    ),
    "every role that a clause names is declared": lambda program: (
        {role for clause in program.clauses for role in (*(clause.roles or ()), *clause.except_roles)}
        <= set(program.roles)
    ),
}
"""The laws of a whole program, by their words."""


def check_clause(clause: Clause, types: Types) -> None:
    """Raises IllegalProgram with the first law that `clause` breaks. `types` are the declared types, by id.

    It does not compile patterns: `check_patterns` does.
    """
    for law, holds in CLAUSE_LAWS.items():
        if not holds(clause, types):
            raise _broken(clause, law)


def check_patterns(clause: Clause) -> None:
    """Raises IllegalProgram if RE2 rejects a pattern of a legal clause, or the pattern exceeds a limit (C6).

    PERF: a separate law, because RE2 takes 0.05 to 2 ms a pattern. The maker of a program checks it. Its reader does
    not: the first search for a pattern, and a filter that shows it, raise BundleError.
    """
    for atom in clause.body:
        if isinstance(atom, Comparison) and atom.op == Operator.REGEX and not _is_pattern(str(atom.value)):
            raise _broken(clause, "RE2 accepts every pattern (C6)")


def _broken(clause: Clause, law: str) -> IllegalProgram:
    return IllegalProgram(f"clause of policy `{clause.policy}` breaks the law: {law}")


def check_program(program: Program) -> None:
    """Raises IllegalProgram with the first law that `program` or one of its clauses breaks, patterns included."""
    for law, holds in PROGRAM_LAWS.items():
        if not holds(program):
            raise IllegalProgram(f"the program breaks the law: {law}")
    types = {type.id: type for type in program.types}
    for clause in program.clauses:
        check_clause(clause, types)
        check_patterns(clause)


def _is_legal(atom: object) -> bool:
    match atom:
        case Comparison(section, key, op, value):
            return section in ATTRIBUTE_SECTIONS and _is_key(key) and op in OPERATORS and _fits(op, value)
        case Reference(section, key, op, value_of):
            return section in ATTRIBUTE_SECTIONS and _is_key(key) and op in OPERATORS and _refers(section, op, value_of)
        case AgainstNow(section, key, op):
            return section in NOW_SECTIONS and _is_key(key) and op in OPERATORS and takes_now(op)
        case During(window):
            return _is_window(window)
        case From(blocks):
            return len(blocks) > 0 and all(len(text) <= _LONGEST_BLOCK and _is_block(text) for text in blocks)
        case Rate(limit, window_seconds):
            return _is_whole(limit, 1, _INT32 - 1) and _is_whole(window_seconds, 1, _INT32 - 1)
        case _:
            return False


def _refers(section: str, op: Operator, value: ValueOf) -> bool:
    """Returns whether a comparison in a section may refer to the value (X1)."""
    return takes_reference(op) and value.source in SOURCES and _is_key(value.key) and may_stand_in(value, section)


def _is_name(value: str) -> bool:
    return len(value) <= MAX_NAME_CHARACTERS and is_text(value)


def _is_key(value: str) -> bool:
    return 0 < len(value) <= MAX_KEY_CHARACTERS and is_text(value)


def _is_window(window: TimeWindow) -> bool:
    """Returns whether a model can contain the window (C8). Then it can be shown, and compared with a clock."""
    return (
        all(span is None or _is_whole(span, EARLIEST, END - 1) for span in (window.not_before, window.not_after))
        and bool(window.days)
        and all(_is_whole(day, 0, len(DAYS) - 1) for day in window.days)
        and _is_whole(window.start, 0, DAY_MINUTES - 1)
        and _is_whole(window.end, 0, DAY_MINUTES)
        and window.start != window.end
        and bool(window.timezone)
    )


def _is_whole(value: object, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _fits(op: Operator, value: Json) -> bool:
    """Returns whether the operator can compare with the constant (C2 to C6)."""
    if not _is_constant(value, MAX_NESTING):
        return False
    match kind := OPERATORS[op].constant:
        case ConstantKind.ANY:
            return True
        case ConstantKind.LIST:
            return isinstance(value, list) and list_elements(value) <= MAX_LIST_ELEMENTS
        case ConstantKind.ORDERED:
            return isinstance(value, str) or is_number(value)
        case ConstantKind.PATTERN:
            return isinstance(value, str) and len(value) <= MAX_PATTERN_CHARACTERS
        case _:
            assert_never(kind)


def _is_constant(value: Json, nesting: int) -> bool:
    """Returns whether a model can contain the constant: numbers are finite, strings are text, no part is null (C2)."""
    if isinstance(value, str):
        return is_text(value)
    if isinstance(value, float):
        return isfinite(value)
    if isinstance(value, int):
        return True
    if isinstance(value, list):
        return nesting > 0 and all(_is_constant(item, nesting - 1) for item in value)
    if isinstance(value, dict):
        return nesting > 0 and all(is_text(name) and _is_constant(item, nesting - 1) for name, item in value.items())
    return False


def _is_pattern(pattern: str) -> bool:
    try:
        instructions_of(pattern)
    except ValueError:
        return False
    return True


@lru_cache(16_384)
def _is_block(text: str) -> bool:
    """Returns whether a text is an address or a CIDR block. PERF: cached, because a compilation asks several times."""
    try:
        parse_block(text)
    except ValueError:
        return False
    return True


def _is_sorted(keys: Sequence[Any]) -> bool:
    return all(low < high for low, high in pairwise(keys))
