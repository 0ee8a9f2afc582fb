"""Drops a condition that stands twice in one body."""

from collections.abc import Hashable
from dataclasses import replace

from ...bundles.conditions.constants import canonical_key
from ...bundles.program.clauses import Atom, Clause, Comparison, Program


def drop_repeated_conditions(program: Program) -> Program:
    """Keep the first of conditions that mean the same: of `1` and `1.0` one, of `1` and `true` both (C3).

    allow(S, A, R, "p") :- ..., R.status = "draft", R.status = "draft".
    becomes  allow(S, A, R, "p") :- ..., R.status = "draft".
    """
    return replace(program, clauses=tuple(map(_clause, program.clauses)))


def _clause(clause: Clause) -> Clause:
    kept: dict[Hashable, Atom] = {}
    for atom in clause.body:
        kept.setdefault(_meaning(atom), atom)
    # A clause without repeats stays the same object: between passes only new clauses are checked.
    return clause if len(kept) == len(clause.body) else replace(clause, body=tuple(kept.values()))


def _meaning(atom: Atom) -> Hashable:
    if isinstance(atom, Comparison):
        return atom.section, atom.key, atom.op, canonical_key(atom.value)
    return atom
