"""The passes from model to program, in order. After each pass, the clauses are checked against their laws."""

from collections.abc import Callable, Iterable

from ..bundles.program.clauses import Clause, Program
from ..bundles.program.laws import check_clause
from .lowering.lower import lower
from .model.elements import Model
from .rewrites.drop_repeated_conditions import drop_repeated_conditions
from .rewrites.sort_clauses import sort_clauses

REWRITES: tuple[Callable[[Program], Program], ...] = (
    drop_repeated_conditions,
    sort_clauses,  # last: a bundle numbers the clauses in this order
)


def compile_program(model: Model) -> Program:
    """Returns the program of a model that passed its checks.

    Raises IllegalProgram if a pass makes a clause that breaks a law. That is a fault of the compiler, not of the model.
    The writer of the bundle checks the laws of the whole program.
    """
    program = lower(model)
    _check_clauses(program, checked=())
    for rewrite in REWRITES:
        rewritten = rewrite(program)
        _check_clauses(rewritten, checked=program.clauses if rewritten.types is program.types else ())
        program = rewritten
    return program


def _check_clauses(program: Program, checked: Iterable[Clause]) -> None:
    """Checks the clauses of a program, without the objects that are in `checked`.

    PERF: a pass leaves most clauses as they are. Checking all of them after each pass took a third of a compilation.
    """
    known = set(map(id, checked))
    types = {type.id: type for type in program.types}
    for clause in program.clauses:
        if id(clause) not in known:
            check_clause(clause, types)
