"""What a legal program is, as a table: checked between compiler passes and again when a bundle's rules are read."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

from bundles.conditions.comparisons import OPERATORS, predicate
from bundles.conditions.values import Json, is_number
from bundles.conditions.windows import TimeWindow
from bundles.program import SECTIONS, Clause, Comparison, During, From, Program, Rate, ResourceType


class IllegalProgram(ValueError):
    """A program that breaks a law; the message names the clause and the law."""


Types: TypeAlias = Mapping[str, ResourceType]

CLAUSE_LAWS: dict[str, Callable[[Clause, Types], bool]] = {
    "the effect is ALLOW or DENY": lambda clause, _: clause.effect in ("ALLOW", "DENY"),
    "the policy has an id": lambda clause, _: clause.policy != "",
    "roles are left out or not empty": lambda clause, _: clause.roles is None or len(clause.roles) > 0,
    "some type and some action is covered": lambda clause, _: bool(clause.types) and bool(clause.actions),
    "every type is declared": lambda clause, types: types.keys() >= set(clause.types),
    "every type declares every action": lambda clause, types: all(
        set(types[id].actions) >= set(clause.actions) for id in clause.types if id in types
    ),
    "every condition is legal": lambda clause, _: all(_is_legal(atom) for atom in clause.body),
    "no DENY has a rate limit (C10)": lambda clause, _: (
        clause.effect == "ALLOW" or not any(isinstance(atom, Rate) for atom in clause.body)
    ),
}

PROGRAM_LAWS: dict[str, Callable[[Program], bool]] = {
    "types are sorted by id and unique": lambda program: _is_sorted([type.id for type in program.types]),
    "type names are unique": lambda program: len({type.name for type in program.types}) == len(program.types),
    "roles are sorted and unique": lambda program: _is_sorted(program.roles),
    "clauses are sorted by policy, types and actions, and unique": lambda program: _is_sorted(
        [(clause.policy, clause.types, clause.actions) for clause in program.clauses]
    ),
    "every role that a clause names is declared": lambda program: (
        {role for clause in program.clauses for role in clause.roles or ()} <= set(program.roles)
    ),
}


def check_clause(clause: Clause, types: Types) -> None:
    """Raise IllegalProgram, naming the first law that `clause` breaks among the types declared."""
    for law, holds in CLAUSE_LAWS.items():
        if not holds(clause, types):
            raise IllegalProgram(f"clause of policy `{clause.policy}` breaks the law: {law}")


def check_program(program: Program) -> None:
    """Raise IllegalProgram, naming the first law that `program` or one of its clauses breaks."""
    for law, holds in PROGRAM_LAWS.items():
        if not holds(program):
            raise IllegalProgram(f"the program breaks the law: {law}")
    types = {type.id: type for type in program.types}
    for clause in program.clauses:
        check_clause(clause, types)


def _is_legal(atom: object) -> bool:
    match atom:
        case Comparison(section, key, op, value):
            return section in SECTIONS and isinstance(key, str) and key != "" and op in OPERATORS and _fits(op, value)
        case During(window):
            return isinstance(window.start, int) and isinstance(window.end, int) and _is_window(window)
        case From(blocks):
            return len(blocks) > 0
        case Rate(limit, window_seconds):
            return limit > 0 and window_seconds > 0
        case _:
            return False


def _is_window(window: TimeWindow) -> bool:
    return window.start != window.end and bool(window.days) and bool(window.timezone)


def _fits(op: str, value: Json) -> bool:
    """Whether the constant is one that the operator takes (C2 to C6)."""
    if not _without_null(value):
        return False
    if op in ("in", "nin"):
        return isinstance(value, list)
    if op in ("gt", "gte", "lt", "lte"):
        return isinstance(value, str) or is_number(value)
    if op == "regex":
        return isinstance(value, str) and _compiles(value)
    return True


def _compiles(pattern: str) -> bool:
    try:
        predicate("regex", pattern)
    except ValueError:
        return False
    return True


def _without_null(value: Json) -> bool:
    if isinstance(value, list):
        return all(map(_without_null, value))
    if isinstance(value, dict):
        return all(map(_without_null, value.values()))
    return value is not None


def _is_sorted(keys: Sequence[Any]) -> bool:
    return all(low < high for low, high in pairwise(keys))
