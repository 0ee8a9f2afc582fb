"""Tells what no test tried: policies and conditions that were never true or never false, and DENYs that never held.

A condition counts if it was evaluated for a request that its policy covers: by its type and action, and for a subject
that holds one of its roles and none of its exceptions. All conditions of such a policy are evaluated, whatever the
others say.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from ....bundles.program.clauses import Clause, Program, Rate
from ....bundles.wording import quoted
from ....compiler.language.writing.atoms import atom_text
from ....runtime.rules.reasons import NOT_REGISTERED

_NEVER_ASKED = NOT_REGISTERED.context["reason"]


class _Seen:
    """The outcomes that were seen of one policy, and of each of its conditions."""

    def __init__(self, clause: Clause):
        self.clause = clause
        self.covered = False
        self.outcomes: set[bool] = set()
        self.conditions: list[set[bool]] = [set() for _ in clause.body]

    def can_fail(self) -> bool:
        """Returns whether there can be a request on the policy's type and action for which it does not hold."""
        for_all = self.clause.roles is None and not self.clause.except_roles
        return not for_all or any(not isinstance(atom, Rate) for atom in self.clause.body)


class Coverage:
    """The coverage of one model by tests. Policies that are not enabled are not part of it (P5)."""

    def __init__(self, program: Program):
        self._seen: dict[str, _Seen] = {}
        self._clauses = program.clauses
        for clause in program.clauses:
            self._seen.setdefault(clause.policy, _Seen(clause))
        self._ids = {type.name: type.id for type in program.types}
        self._covering = cache(self._covering_policies)
        self._cut = False

    def note(self, request: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
        """Takes note of an answer with an explanation."""
        proof = answer["context"]["explanation"]
        self._cut = self._cut or "truncated" in proof
        if answer["context"]["reason"] == _NEVER_ASKED:  # E7 comes before any policy
            return
        held: set[str] = set()
        shown: set[str] = set()
        for candidate in proof["candidates"]:
            if candidate["kind"] == "policy":
                shown.add(candidate["id"])
                if candidate["holds"]:
                    held.add(candidate["id"])
                self._note_conditions(candidate)
        for policy in self._covering(request["resource"]["type"], request["action"]["name"]):
            if policy in shown or "truncated" not in proof:
                self._seen[policy].covered = True
                self._seen[policy].outcomes.add(policy in held)

    def lines(self) -> Iterator[str]:
        """Yields the summary, and a line for each policy and condition that no test made true, or none made false."""
        gaps = [line for seen in self._seen.values() for line in _gaps(seen)]
        conditions = sum(len(seen.conditions) for seen in self._seen.values())
        tried = sum(not _missing(seen) for seen in self._seen.values())
        whole = sum(not _untried(seen, place) for seen in self._seen.values() for place in range(len(seen.conditions)))
        yield (
            f"coverage: tests made {tried} of {len(self._seen)} policies and {whole} of {conditions} conditions "
            "both true and false"
        )
        yield from gaps
        if self._cut:
            yield "some explanations were cut at a limit, so this may name too much"

    def _note_conditions(self, candidate: Mapping[str, Any]) -> None:
        # The proof shows the conditions in the order of the clause's body. Only a cut proof has fewer.
        for outcomes, condition in zip(self._seen[candidate["id"]].conditions, candidate["conditions"], strict=False):
            if condition["section"] != "rate_limit" or "missing" not in condition:
                outcomes.add(condition["holds"])

    def _covering_policies(self, type_name: str, action: str) -> tuple[str, ...]:
        """Returns the policies on a type and an action."""
        id = self._ids.get(type_name)
        return tuple({one.policy: None for one in self._clauses if id in one.types and action in one.actions})


def _missing(seen: _Seen) -> list[bool]:
    """Returns the outcomes that the policy can have and did not have."""
    return [outcome for outcome in (True, False) if outcome not in seen.outcomes and (outcome or seen.can_fail())]


def _untried(seen: _Seen, place: int) -> list[bool]:
    """Returns the outcomes that a condition did not have. One request alone never reaches a rate limit (C10)."""
    limited = isinstance(seen.clause.body[place], Rate)
    return [one for one in (True, False) if one not in seen.conditions[place] and (one or not limited)]


def _gaps(seen: _Seen) -> Iterator[str]:
    name = quoted(seen.clause.policy)
    if not seen.covered:
        yield f"policy {name}: no test asks for its types and actions"
        return
    for outcome in _missing(seen):
        if outcome and seen.clause.effect == "DENY":
            yield f"policy {name}: the DENY was never applied"
        else:
            yield f"policy {name}: it was never {_word(outcome)}"
    for place, atom in enumerate(seen.clause.body):
        for outcome in _untried(seen, place):
            yield f"policy {name}: `{atom_text(atom)}` was never {_word(outcome)}"


def _word(outcome: bool) -> str:
    return "true" if outcome else "false"
