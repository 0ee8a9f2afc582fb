"""The passes from model to program, in order; the laws of clauses are checked after each."""

from collections.abc import Callable

from bundles.laws import check_clause, check_program
from bundles.program import Program
from compiler.lower import lower
from compiler.model import Model
from compiler.rewrites.drop_repeated_conditions import drop_repeated_conditions
from compiler.rewrites.sort_clauses import sort_clauses

REWRITES: tuple[Callable[[Program], Program], ...] = (
    drop_repeated_conditions,
    sort_clauses,  # last: numbers of clauses in a bundle follow this order
)


def compile_program(model: Model) -> Program:
    """The program of a model that passed its checks.

    Raises IllegalProgram where a pass breaks a law, which is a fault of the compiler, not of the model.
    """
    program = lower(model)
    _check_clauses(program)
    for rewrite in REWRITES:
        program = rewrite(program)
        _check_clauses(program)
    check_program(program)
    return program


def _check_clauses(program: Program) -> None:
    types = {type.id: type for type in program.types}
    for clause in program.clauses:
        check_clause(clause, types)
