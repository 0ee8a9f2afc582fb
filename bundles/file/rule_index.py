"""The index of a program's clauses: those on each (type, action), and who has some ALLOW on each type."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from ..program.clauses import Clause, Program
from . import rule_codec
from .bucket_table import Entry


def index_entries(program: Program) -> Iterator[Entry]:
    """The entries of the table `rules`; clauses, types and roles by their place in the program."""
    types = {type.id: number for number, type in enumerate(program.types)}
    numbers = {role: number for number, role in enumerate(program.roles)}
    by_action: dict[tuple[str, str], dict[str | None, list[int]]] = defaultdict(lambda: defaultdict(list))
    allowed: dict[str, set[str | None]] = defaultdict(set)
    for number, clause in enumerate(program.clauses):
        for type in clause.types:
            if clause.effect == "ALLOW":
                allowed[type].update(_roles_of(clause))
            for action in clause.actions:
                by_role = by_action[type, action]
                for role in _roles_of(clause):
                    by_role[role].append(number)
    for (type, action), by_role in by_action.items():
        numbered = {numbers[role]: tuple(found) for role, found in by_role.items() if role is not None}
        index = rule_codec.RuleIndex(tuple(by_role.get(None, ())), dict(sorted(numbered.items())))
        yield rule_codec.rules_key(types[type], action), rule_codec.encode_index(index)
    for type, roles in allowed.items():
        held = tuple(sorted(numbers[role] for role in roles if role is not None))
        yield rule_codec.allows_key(types[type]), rule_codec.encode_index(rule_codec.AllowIndex(None in roles, held))


def _roles_of(clause: Clause) -> Sequence[str | None]:
    return (None,) if clause.roles is None else clause.roles
