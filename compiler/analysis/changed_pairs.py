"""Finds the pairs of type and action on which two models can differ, so that only these are analysed."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

from ...bundles.declarations.declarations import Kinds
from ...bundles.program.clauses import Clause, Comparison, Reference, context_keys
from ...bundles.program.text import show_clause
from .models.sides import Pair, Side


def fingerprint(clause: Clause) -> str:
    """Returns a text that is equal for clauses with the same rule, whatever the name and priority of the policy."""
    return show_clause(replace(clause, policy="", name="", priority=0, types=(), actions=()))


def changed_by_rules(before: Side, after: Side) -> set[Pair]:
    """Returns the pairs whose rules may differ: by a policy, a declared action, a closed type, required attributes."""
    old, new = _spread(before), _spread(after)
    found: set[Pair] = set()
    for key in old ^ new:
        _, types, actions = key
        found.update((type, action) for type in types for action in actions)
    found |= _declared(before) ^ _declared(after)
    for name in {*before.types, *after.types}:
        was, now = before.types.get(name), after.types.get(name)
        if was is None or now is None:
            continue
        registered = [side.registered.get(type.id, frozenset()) for side, type in ((before, was), (after, now))]
        if was.closed != now.closed or (was.closed and registered[0] != registered[1]):
            found.update((name, action) for action in was.action_set & now.action_set)
    if before.program.required != after.program.required or _demanding(before) != _demanding(after):
        found |= {pair for side in (before, after) for pair in _reading_demanded(side)}
    return found


def _spread(side: Side) -> set[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    names = {type.id: type.name for type in side.program.types}
    known: dict[int, str] = {}
    found = set()
    for clause in side.program.clauses:
        text = known.get(id(clause)) or known.setdefault(id(clause), fingerprint(clause))
        found.add((text, tuple(sorted(names[type] for type in clause.types)), clause.actions))
    return found


def _declared(side: Side) -> set[Pair]:
    return {(name, action) for name, type in side.types.items() for action in type.actions}


def _demanding(side: Side) -> tuple[Kinds | None, Kinds | None]:
    return side.declarations.context, side.declarations.action


def _reading_demanded(side: Side) -> set[Pair]:
    """Returns the pairs on which a policy reads the context, or a declared property of the action (C12, C13)."""
    numbers = {
        number
        for number, clause in enumerate(side.program.clauses)
        if any(context_keys(atom) or side.demands.by(atom) for atom in clause.body)
    }
    return {pair for pair, found in side.clauses.items() if not numbers.isdisjoint(found)}


def pairs_by_role(before: Side, after: Side) -> Mapping[str, set[Pair]]:
    """Returns, for each role, the pairs on which a policy names it."""
    found: dict[str, set[Pair]] = defaultdict(set)
    for side in (before, after):
        names = {type.id: type.name for type in side.program.types}
        for clause in side.program.clauses:
            roles = (*(clause.roles or ()), *clause.except_roles)
            if roles:
                pairs = [(names[type], action) for type in clause.types for action in clause.actions]
                for role in roles:
                    found[role].update(pairs)
    return found


def pairs_of_subjects(before: Side, after: Side) -> set[Pair]:
    """Returns the pairs on which a policy reads the subject's own id, type or groups."""
    return {
        pair
        for side in (before, after)
        for pair, numbers in side.clauses.items()
        if any(_reads_subject(side.program.clauses[number]) for number in numbers)
    }


def _reads_subject(clause: Clause) -> bool:
    return any(
        (isinstance(atom, Comparison | Reference) and atom.section == "subject_attrs" and atom.key in ("id", "type"))
        or (isinstance(atom, Reference) and atom.value_of.source == "subject")
        for atom in clause.body
    )
