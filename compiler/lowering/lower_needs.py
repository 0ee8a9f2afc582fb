"""Names the rules that came later and that the policies of a program and its routes rely on."""

from ...bundles.extensions import KINDS, Need
from ...bundles.program.clauses import Program
from ...bundles.program.demands import Demands
from ...bundles.routing.routing import Routing


def needs_of(program: Program, routing: Routing) -> tuple[Need, ...]:
    """Returns the names, sorted. A bundle without them is, byte for byte, what it was before these rules."""
    demands = Demands(program.declarations, program.required)
    of_policies: tuple[Need, ...] = (KINDS,) if demands.need(program.clauses) else ()
    return tuple(sorted((*routing.needs(), *of_policies)))
