"""Explains an answer in prose: a pure function from the decision and its proof to sentences (D10)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ....bundles.wording import is_made_id, joined, quoted
from .condition_prose import Proved, condition_sentence
from .plain_values import typed
from .why_not_words import why_not_lines

MOST_ROLES: Final = 10
"""The roles that a sentence names of a policy whose roles the subject lacks."""

ACTOR_ALLOWED: Final = "The actor is allowed too. This is about the subject:"
ACTOR_DENIED: Final = "The subject is allowed, but the actor is not. This is about the actor:"

_ITEM: Final = "  - "


def explained(answer: Mapping[str, Any]) -> Iterator[str]:
    """Yields the lines that explain an answer: the decision, each candidate with its conditions, and what was lacking.

    A line that begins with `  - ` is about a condition of the candidate before it.

    >>> for line in explained({"decision": False, "context": {"reason": "grant `g` expired", "reason_code": "X"}}):
    ...     print(line)
    Denied (X): grant `g` expired.
    """
    context = answer["context"]
    verdict = "Allowed" if answer["decision"] else "Denied"
    yield f"{verdict} ({context['reason_code']}): {_reason(context)}."
    if "retry_after_seconds" in context:
        yield f"Ask again in {context['retry_after_seconds']} seconds."
    proof = decisive_proof(answer)
    if proof is None:
        return
    if "actor_explanation" in context or "actor_explanations" in context:
        yield ACTOR_DENIED if "denied_for" in context else ACTOR_ALLOWED
    for candidate in proof["candidates"]:
        yield from _candidate(candidate)
    for lacking in proof["lacking"]:
        yield _lacking(lacking)
    for excluded in proof.get("excluded", ()):
        yield _excluded(excluded)
    if proof.get("truncated"):
        yield "There is more than this: the proof was cut at a limit."
    if "why_not" in proof:
        yield from why_not_lines(proof["why_not"])


def _reason(context: Mapping[str, Any]) -> str:
    """Returns the reason without the id that Writ made for a grant: the question says what it is about."""
    if context.get("access_path") == "direct" and is_made_id(context["policy_id"]):
        return "a direct grant allows it"
    return str(context["reason"])


def decisive_proof(answer: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Returns the proof for whom the answer is: the subject, or the actor that is denied (A1)."""
    context = answer["context"]
    if "denied_for" not in context:
        found: Mapping[str, Any] | None = context.get("explanation")
        return found
    several: list[Mapping[str, Any] | None] = context.get("actor_explanations") or [context.get("actor_explanation")]
    return several[-1]


def question(request: Mapping[str, Any]) -> str:
    """Returns the question of a request that was answered.

    >>> question({"subject": {"type": "user", "id": "bob"}, "action": {"name": "read"},
    ...           "resource": {"type": "document", "name": "Plan"}})
    'May user `bob` do `read` on document `Plan`?'
    """
    subject, resource = _entity(request["subject"]), _entity(request["resource"])
    return f"May {subject} do {quoted(request['action']['name'])} on {resource}?"


def asking_why(request: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the request, which now asks for an explanation. Options that can't be read stay, to be refused.

    >>> asking_why({"options": {"explain": False, "valid_until": True}})
    {'options': {'explain': True, 'valid_until': True}}
    """
    options = request.get("options")
    if not isinstance(options, dict | None):
        return dict(request)
    return {**request, "options": {**(options or {}), "explain": True}}


def _entity(entity: Mapping[str, Any]) -> str:
    named_by = next((name for name in ("id", "external_id", "name") if entity.get(name)), None)
    return typed(entity["type"], "?" if named_by is None else entity[named_by])


def _candidate(candidate: Proved) -> Iterator[str]:
    if candidate["kind"] == "grant":
        group = f" to the group {quoted(candidate['held_by']['group'])}" if "held_by" in candidate else ""
        is_made = is_made_id(candidate["id"])
        yield (
            f"A direct grant{group} allows it."
            if is_made
            else f"Grant {quoted(candidate['id'])}{group} allows it directly."
        )
        return
    yield f"{_policy(candidate)} {_through(candidate)}"
    conditions = candidate["conditions"]
    for place, condition in enumerate(conditions):
        others_hold = all(one["holds"] for other, one in enumerate(conditions) if other != place)
        yield _ITEM + condition_sentence(condition, candidate["effect"], others_hold)


def _policy(candidate: Proved) -> str:
    name, denies = quoted(candidate["id"]), candidate["effect"] == "DENY"
    if candidate["holds"]:
        return f"Policy {name} {'denies' if denies else 'allows'} it."
    return f"Policy {name} would {'deny' if denies else 'allow'} it, but not all of its conditions hold."


def _through(candidate: Proved) -> str:
    """Returns how the policy reaches the subject: by a role, by a role of a group, or without one."""
    held = candidate.get("held_by")
    if held is None:
        return "It applies without a role."
    group = f" through the group {quoted(held['group'])}" if "group" in held else ""
    return f"The subject holds its role {quoted(held['role'])}{group}."


def _lacking(policy: Proved) -> str:
    return f"Policy {quoted(policy['id'])} is for {roles_words(policy['roles'])}, which the subject does not hold."


def _excluded(policy: Proved) -> str:
    roles = policy["roles"]
    more = [f"{len(roles) - MOST_ROLES} more"] if len(roles) > MOST_ROLES else []
    shown = joined([*(quoted(role) for role in roles[:MOST_ROLES]), *more], "and")
    noun = "roles" if len(roles) > 1 else "role"
    return f"Policy {quoted(policy['id'])} leaves out the {noun} {shown}, which the subject holds."


def roles_words(roles: Sequence[str]) -> str:
    """Returns the roles of a policy, one of which is enough.

    >>> roles_words(["editor", "owner"])
    'the role `editor` or `owner`'
    """
    shown = joined([quoted(role) for role in roles[:MOST_ROLES]], "or")
    more = f", or one of {len(roles) - MOST_ROLES} more" if len(roles) > MOST_ROLES else ""
    return f"the role {shown}{more}"
