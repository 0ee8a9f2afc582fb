"""Finds what Rego can't say exactly, with the reason and the remedy for each policy."""

from collections.abc import Iterator
from dataclasses import dataclass

from ...bundles.conditions.operators import OF_ELEMENTS, Operator
from ...bundles.program.clauses import AgainstNow, Clause, Comparison, Program, Rate, Reference
from ...bundles.program.demands import Demands
from ...bundles.wording import quoted
from .go_patterns import difference


@dataclass(frozen=True, slots=True)
class RegoRefusal:
    """A condition of a policy that Rego can't say. `path` leads to it in the policy, like `conditions.rate_limit`."""

    policy: str
    path: str
    reason: str
    remedy: str

    def __str__(self) -> str:
        return f"policy {quoted(self.policy)}, {self.path}: {self.reason}; {self.remedy}"


class NotInRego(Exception):
    """Rego can't say a model exactly. `refusals` has the reasons, in the order of policies."""

    def __init__(self, refusals: list[RegoRefusal]):
        super().__init__("\n".join(map(str, refusals)))
        self.refusals = refusals


def refusals(program: Program) -> list[RegoRefusal]:
    """Returns every condition of a program that Rego can't say, each once."""
    demands = Demands(program.declarations, program.required)
    found = (refusal for clause in program.clauses for refusal in _of_clause(clause, program.required, demands))
    return list(dict.fromkeys(found))


def _of_clause(clause: Clause, required: tuple[str, ...], demands: Demands) -> Iterator[RegoRefusal]:
    for atom in clause.body:
        if isinstance(atom, Comparison):
            yield from _unsaid_kinds(clause, atom, demands)
        if required and isinstance(atom, Comparison) and atom.section == "context_attrs":
            for key in required:
                if atom.key == key or atom.key.startswith(f"{key}."):
                    reason = f"the exported rules don't know that {quoted(f'context.{key}')} is required"
                    remedy = "declare it without `required`, or check that each request has it outside OPA"
                    yield RegoRefusal(clause.policy, "conditions.context_attrs", reason, remedy)
        if isinstance(atom, Reference):
            reason = f"the exported rules can't compare with {quoted(str(atom.value_of))}"
            remedy = "compare with a constant, or decide this policy outside OPA"
            yield RegoRefusal(clause.policy, f"conditions.{atom.section}", reason, remedy)
        elif isinstance(atom, AgainstNow):
            reason = "the exported rules can't compare with `now`"
            remedy = "decide this policy outside OPA, or let the application send the outcome as a boolean"
            yield RegoRefusal(clause.policy, f"conditions.{atom.section}", reason, remedy)
        elif isinstance(atom, Rate):
            reason, remedy = "Rego can't count requests", "leave the rate limit out, or enforce it outside OPA"
            yield RegoRefusal(clause.policy, "conditions.rate_limit", reason, remedy)
        elif isinstance(atom, Comparison) and OF_ELEMENTS[atom.op]:
            reason = f"the exported rules can't compare the elements of an array with {quoted(str(atom.op))}"
            remedy = "let the application send a boolean, or decide this policy outside OPA"
            yield RegoRefusal(clause.policy, f"conditions.{atom.section}", reason, remedy)
        elif isinstance(atom, Comparison) and atom.op is Operator.REGEX:
            found = difference(atom.value)
            if found is not None:
                remedy = "list the characters, like `[a-zåé]`, or use another operator"
                reason = f"the pattern {quoted(atom.value)} {found}"
                yield RegoRefusal(clause.policy, f"conditions.{atom.section}", reason, remedy)


def _unsaid_kinds(clause: Clause, atom: Comparison, demands: Demands) -> Iterator[RegoRefusal]:
    """Yields the declared attributes whose kind decides a comparison, beside its constant (C13)."""
    for demand in demands.by(atom):
        if clause.effect == "ALLOW" and demand.key == atom.key and demand.holds_if_equal(atom.op, atom.value):
            continue
        name = quoted(f"{demand.section.removesuffix('_attrs')}.{demand.key}")
        reason = f"the exported rules don't know the declared values of {name}"
        remedy = "leave its declaration out, or check outside OPA that each request keeps to it"
        yield RegoRefusal(clause.policy, f"conditions.{atom.section}", reason, remedy)
