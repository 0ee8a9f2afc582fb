"""Sorts clauses into the one order that makes the same model the same bytes."""

from dataclasses import replace

from ...bundles.program.clauses import Program


def sort_clauses(program: Program) -> Program:
    """Order clauses by policy, types and actions, whatever order the sources had."""
    ordered = sorted(program.clauses, key=lambda clause: (clause.policy, clause.types, clause.actions))
    return replace(program, clauses=tuple(ordered))
