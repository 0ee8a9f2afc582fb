"""Drops repeated conditions from the body of a clause."""

from collections.abc import Hashable
from dataclasses import replace

from ...bundles.conditions.constants import canonical_key
from ...bundles.program.clauses import Atom, Clause, Comparison, Program


def drop_repeated_conditions(program: Program) -> Program:
    """Keeps the first of several conditions with the same meaning: `1` means the same as `1.0`, but not as `true` (C3).

    allow(S, A, R, "p") :- ..., R.status = "draft", R.status = "draft".
    becomes  allow(S, A, R, "p") :- ..., R.status = "draft".
    """
    return replace(program, clauses=tuple(map(_clause, program.clauses)))


def _clause(clause: Clause) -> Clause:
    kept: dict[Hashable, Atom] = {}
    for atom in clause.body:
        kept.setdefault(_meaning(atom), atom)
    # A clause without repeats stays the same object, because the laws are checked for new objects only.
    return clause if len(kept) == len(clause.body) else replace(clause, body=tuple(kept.values()))


def _meaning(atom: Atom) -> Hashable:
    if isinstance(atom, Comparison):
        return atom.section, atom.key, atom.op, canonical_key(atom.value)
    return atom
