"""The passes from model to program, in order; the laws of clauses are checked after each."""

from collections.abc import Callable, Iterable

from ..bundles.program.clauses import Clause, Program
from ..bundles.program.laws import check_clause
from .lowering.lower import lower
from .model.elements import Model
from .rewrites.drop_repeated_conditions import drop_repeated_conditions
from .rewrites.sort_clauses import sort_clauses

REWRITES: tuple[Callable[[Program], Program], ...] = (
    drop_repeated_conditions,
    sort_clauses,  # last: numbers of clauses in a bundle follow this order
)


def compile_program(model: Model) -> Program:
    """The program of a model that passed its checks.

    Raises IllegalProgram where a pass makes a clause that breaks a law, which is a fault of the compiler, not of the
    model. The laws of the program as a whole are for the writer to check, which trusts nobody.
    """
    program = lower(model)
    _check_clauses(program, checked=())
    for rewrite in REWRITES:
        rewritten = rewrite(program)
        _check_clauses(rewritten, checked=program.clauses if rewritten.types is program.types else ())
        program = rewritten
    return program


def _check_clauses(program: Program, checked: Iterable[Clause]) -> None:
    """Check every clause that is not, as the same object, among those `checked` already.

    PERF: a pass leaves most clauses alone; to check all of them each time was a third of a compilation.
    """
    known = set(map(id, checked))
    types = {type.id: type for type in program.types}
    for clause in program.clauses:
        if id(clause) not in known:
            check_clause(clause, types)
