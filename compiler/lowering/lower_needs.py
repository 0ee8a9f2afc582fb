"""Names the rules that came later and that the policies of a program rely on."""

from ...bundles.extensions import KINDS, Need
from ...bundles.program.clauses import Program
from ...bundles.program.demands import Demands


def needs_of(program: Program) -> tuple[Need, ...]:
    """Returns the names, sorted. A bundle without them is, byte for byte, what it was before these rules."""
    demands = Demands(program.declarations, program.required)
    return (KINDS,) if demands.need(program.clauses) else ()
