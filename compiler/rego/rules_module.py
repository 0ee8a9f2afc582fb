"""Writes the conditions of policies as Rego rules: the package `writ.rules`."""

from collections.abc import Iterator
from typing import assert_never

from ...bundles.conditions.addresses import merge_blocks, parse_block
from ...bundles.conditions.instants import SECOND
from ...bundles.conditions.operators import TAKES_LIST
from ...bundles.conditions.windows import TimeWindow
from ...bundles.program.clauses import (
    AgainstNow,
    Atom,
    Clause,
    Comparison,
    During,
    Effect,
    From,
    Program,
    Rate,
    Reference,
)
from .conditions_text import FUNCTIONS
from .rego_values import rego, rego_set

_HEAD = """\
# The conditions of each policy, by its id. A policy holds if all its conditions are true.
#
# Written by `writ export --as rego`. Change the model in Writ, and export it again.
package writ.rules
"""
_OWNERS = {
    "subject_attrs": "subject",
    "resource_attrs": "resource",
    "action_attrs": "action",
    "context_attrs": "context",
}


def rules_module(program: Program) -> str:
    """Returns the file `rules.rego` of a program without refusals."""
    policies = {clause.policy: clause for clause in program.clauses}  # the clauses of a policy have one body
    rules = [_rule(clause) for _, clause in sorted(policies.items())]
    imports = [name for name in ("conditions", "windows") if any(f"{name}." in rule for rule in rules)]
    lines = "".join(f"import data.writ.{name}\n" for name in imports)
    return "\n".join(filter(None, [_HEAD, lines, *rules]))


def _rule(clause: Clause) -> str:
    title = f"# {rego(clause.name)}\n" if clause.name not in ("", clause.policy) else ""
    head = f"holds[{rego(clause.policy)}]"
    if not clause.body:
        return f"{title}{head} := true\n"
    tests = "\n".join(f"\t{_test(atom, clause.effect)}" for atom in clause.body)
    return f"{title}{head} if {{\n{tests}\n}}\n"


def _test(atom: Atom, effect: Effect) -> str:
    otherwise = "_or_unreadable" if effect == "DENY" else ""  # garbage switches no DENY off (C7)
    match atom:
        case Comparison():
            return _comparison(atom)
        case Reference() | AgainstNow():
            raise ValueError("a reference is refused before rules are written")
        case During():
            return f"windows.during{otherwise}({rego(_window(atom.window))})"
        case From():
            blocks = [str(block) for block in merge_blocks(map(parse_block, atom.blocks))]
            return f"conditions.address_in{otherwise}({rego(blocks)})"
        case Rate():
            raise ValueError("a rate limit is refused before rules are written")
        case _:
            assert_never(atom)


def _comparison(atom: Comparison) -> str:
    read = f"conditions.{_OWNERS[atom.section]}({rego(atom.key)})"
    return f"conditions.{FUNCTIONS[atom.op]}({', '.join([read, *_constants(atom)])})"


def _constants(atom: Comparison) -> Iterator[str]:
    if not TAKES_LIST[atom.op]:
        yield rego(atom.value)
        return
    yield rego_set([element for element in atom.value if isinstance(element, str)])
    yield rego([element for element in atom.value if not isinstance(element, str)])


def _window(window: TimeWindow) -> dict[str, object]:
    """Returns a window as the Rego reads it. `days`, `start`, `end` and `timezone` are there if it is weekly."""
    found: dict[str, object] = {}
    if window.not_before is not None:
        found["not_before"] = list(divmod(window.not_before, SECOND))
    if window.not_after is not None:
        found["not_after"] = list(divmod(window.not_after, SECOND))
    if window.is_weekly:
        found |= {"days": sorted(window.days), "start": window.start, "end": window.end, "timezone": window.timezone}
    return found
