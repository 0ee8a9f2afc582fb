"""Drops a condition that stands twice in one body."""

from dataclasses import replace

from bundles.program import Atom, Clause, Program


def drop_repeated_conditions(program: Program) -> Program:
    """Keep the first of equal conditions.

    allow(S, A, R, "p") :- ..., R.status = "draft", R.status = "draft".
    becomes  allow(S, A, R, "p") :- ..., R.status = "draft".
    """
    return replace(program, clauses=tuple(map(_clause, program.clauses)))


def _clause(clause: Clause) -> Clause:
    kept: list[Atom] = []
    for atom in clause.body:
        # Printed forms are compared: `1` and `True` are equal to Python, and not the same condition.
        if not any(repr(atom) == repr(other) for other in kept):
            kept.append(atom)
    return replace(clause, body=tuple(kept))
