"""The program as text, in a stable form. `writ inspect --rules` prints it, and tests compare it.

type document "Document" {read, update} closed.
allow(S, A, R, "p7") :- holds(S, {"editor"}), type(R, {"document"}), A in {"update"}, R.status = "draft".
"""

import json
from collections.abc import Iterable, Iterator

from ..conditions.operators import OPERATORS
from ..conditions.values import Json
from ..conditions.windows import show_window
from .clauses import AgainstNow, Atom, Clause, Comparison, During, From, Program, Rate, Reference, ResourceType

_OWNERS: dict[str, str] = {
    "subject_attrs": "S",
    "resource_attrs": "R",
    "action_attrs": "A",
    "context_attrs": "C",
}
_NO_PRIORITY = 0

PERMIT_RULE = "permit(S, A, R) :- allow(S, A, R, _), not deny(S, A, R, _)."
"""The only rule with a negation, the same in every program. The clauses after it define allow and deny."""


def show_program(program: Program) -> str:
    """Returns the whole program, with a line for each type and each clause."""
    return "".join(f"{line}\n" for line in _lines(program))


def _lines(program: Program) -> Iterator[str]:
    yield from map(show_type, program.types)
    if program.required:
        yield f"required(C, {_set(program.required)})."
    yield PERMIT_RULE
    yield from map(show_clause, program.clauses)


def show_type(type: ResourceType) -> str:
    """Returns a declared type as one line.

    >>> show_type(ResourceType("doc", "Document", ("read", "update"), True))
    'type "doc" named "Document" {"read", "update"} closed.'
    """
    named = f" named {_text(type.name)}" if type.name != type.id else ""
    return f"type {_text(type.id)}{named} {_set(type.actions)}{' closed' if type.closed else ''}."


def show_clause(clause: Clause) -> str:
    """Returns a clause as one line: its roles, types and actions, then its body.

    >>> from writ.bundles.conditions.operators import Operator
    >>> body = (Comparison("resource_attrs", "status", Operator.EQ, "draft"),)
    >>> show_clause(Clause("ALLOW", "p7", "", 10, ("editor",), ("document",), ("update",), body))
    'allow(S, A, R, "p7") @10 :- holds(S, {"editor"}), type(R, {"document"}), A in {"update"}, R.status = "draft".'
    """
    rank = f" @{clause.priority}" if clause.priority != _NO_PRIORITY else ""
    when = [f"type(R, {_set(clause.types)})", f"A in {_set(clause.actions)}"]
    if clause.except_roles:
        when.insert(0, f"not holds(S, {_set(clause.except_roles)})")
    if clause.roles is not None:
        when.insert(0, f"holds(S, {_set(clause.roles)})")
    body = ", ".join([*when, *map(show_atom, clause.body)])
    return f"{clause.effect.lower()}(S, A, R, {_text(clause.policy)}){rank} :- {body}."


def show_atom(atom: Atom) -> str:
    """Returns one condition of a body as text.

    >>> from writ.bundles.conditions.operators import Operator
    >>> show_atom(Comparison("context_attrs", "device kind", Operator.IN, ["a", 1])), show_atom(Rate(5, 60))
    ('C."device kind" in ["a", 1]', 'rate(S) <= 5 / 60s')
    """
    match atom:
        case Comparison(section, key, op, value):
            return f"{_attribute(section, key)} {OPERATORS[op].symbol} {_text(value)}"
        case Reference(section, key, op, value_of):
            referred = _attribute(value_of.section, value_of.key)
            return f"{_attribute(section, key)} {OPERATORS[op].symbol} {referred}"
        case AgainstNow(section, key, op):
            return f"{_attribute(section, key)} {OPERATORS[op].symbol} now"
        case During(window):
            return f"during(C, {_text(show_window(window))})"
        case From(blocks):
            return f"from(C, {_set(blocks)})"
        case Rate(limit, window_seconds):
            return f"rate(S) <= {limit} / {window_seconds}s"


def _attribute(section: str, key: str) -> str:
    shown = key if all(step.isidentifier() for step in key.split(".")) else _text(key)
    return f"{_OWNERS[section]}.{shown}"


def _set(names: Iterable[str]) -> str:
    return "{" + ", ".join(map(_text, names)) + "}"


def _text(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
