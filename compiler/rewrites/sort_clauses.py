"""Sorts the clauses, so that the same model gives the same bytes."""

from dataclasses import replace

from ...bundles.program.clauses import Program


def sort_clauses(program: Program) -> Program:
    """Sorts clauses by policy, types and actions."""
    ordered = sorted(program.clauses, key=lambda clause: (clause.policy, clause.types, clause.actions))
    return replace(program, clauses=tuple(ordered))
