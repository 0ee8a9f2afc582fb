"""The meaning of filters and searches, the slow way (F1-F3, F7, S2)."""

from collections.abc import Iterable
from typing import Any

from tests.support.oracle import Candidate, candidates, grant_applies, holds, rank
from tests.support.oracle_conditions import compare, in_order, read
from tests.support.oracle_entities import Document, Json, Question, out_of_reach
from tests.support.oracle_gates import GATES
from tests.support.oracle_instants import text_instant

ALL_GATES = ("context_attrs", *GATES)
PATHS = ("direct", "role", "group", "abac")


def admits(document: Document, asked: Question) -> bool:
    """Returns whether the filter is true of the resource in `asked`: policies alone, gates open (F1, F2)."""
    return any(path != "direct" for path in open_paths(document, asked))


def admits_decided(document: Document, asked: Question) -> bool:
    """Returns whether a filter with decided gates is true of the resource: policies alone, rate limits open (F7)."""
    if asked.resource_type is None:
        return False
    policies = [c for c in candidates(document, asked, asked.action) if c.kind == "policy"]
    held = [c.effect for c in policies if holds(c, asked, ("rate_limit",))]
    return "ALLOW" in held and "DENY" not in held


def open_paths(document: Document, asked: Question) -> set[str]:
    """The paths of all that grants access while gates are open; none where a DENY without gates holds (F2, S2)."""
    if asked.resource_type is None:
        return set()
    found = candidates(document, asked, asked.action)
    if any(c.effect == "DENY" and not gated(c) and holds(c, asked) for c in found):
        return set()
    return {c.path for c in found if c.effect == "ALLOW" and holds(ungated(c), asked)}


def gated(candidate: Candidate) -> bool:
    """Returns whether a candidate has a request-time gate; an empty list of comparisons is none (C10)."""
    compared = (c for name, many in candidate.conditions.items() if name.endswith("_attrs") for c in many)
    return any(candidate.conditions.get(gate) for gate in ALL_GATES) or any(map(reads_context, compared))


def ungated(candidate: Candidate) -> Candidate:
    """A candidate without its gates."""
    left = {
        name: [c for c in value if not reads_context(c)]
        for name, value in candidate.conditions.items()
        if name not in ALL_GATES
    }
    return candidate._replace(conditions=left)


def reads_context(condition: dict[str, Any]) -> bool:
    """Returns whether a comparison refers to the context or to the instant, which makes it a gate (C10, X3, X5)."""
    other = str(condition.get("value_of", ""))
    return other == "now" or other.startswith("context.")


def found_by_search(document: Document, asked: Question, decided: bool) -> str | None:
    """The access path of a search item, None where it is none (S2); `decided` where the request has a context."""
    if out_of_reach(document, asked):
        return None
    open_gates = ("rate_limit",) if decided else ()
    found = [c if decided else ungated(c) for c in candidates(document, asked, asked.action) if decided or not_open(c)]
    if any(c.effect == "DENY" and holds(c, asked, open_gates) for c in found):
        return None
    allows = [c for c in found if c.effect == "ALLOW" and holds(c, asked, open_gates)]
    return min(allows, key=rank).path if allows else None


def not_open(candidate: Candidate) -> bool:
    """Returns whether a candidate counts while gates are open: a DENY that has any is left out (F2)."""
    return candidate.effect == "ALLOW" or not gated(candidate)


def granted_ids(document: Document, asked: Question, ids: Iterable[str]) -> list[str]:
    """The resources among `ids` on which a grant to the subject or a group of it covers the action (F3, P7)."""
    rows = ((id, asked._replace(resource=asked.resource._replace(id=id))) for id in ids)
    return [
        id for id, row in rows if any(grant_applies(document, g, row, row.action) for g in document.get("grants", []))
    ]


def with_ids(tree: dict[str, Any], ids: list[str]) -> dict[str, Any]:
    """The tree with `id in ids` in the place of each node of direct grants (F8)."""
    if tree["type"] == "direct":
        return {"type": "field", "field": "id", "operator": "in", "value": ids}
    if tree["type"] == "logical":
        return tree | {"conditions": [with_ids(child, ids) for child in tree["conditions"]]}
    return tree


def tree_holds(tree: dict[str, Any], id: str | None, attributes: dict[str, Json]) -> bool:
    """Returns whether a filter tree is true of a row; `not` is plain negation (F5)."""
    match tree:
        case {"type": "const", "value": value}:
            return bool(value)
        case {"type": "field", "field": key, "operator": op, "value": constant, "value_type": "instant"}:
            left = text_instant(id if key == "id" else read(attributes, key))
            return left is not None and in_order(op, left, text_instant(constant))
        case {"type": "field", "field": key, "operator": op, "value": constant}:
            return compare(op, id if key == "id" else read(attributes, key), constant)
        case {"type": "logical", "operator": "not", "conditions": [child]}:
            return not tree_holds(child, id, attributes)
        case {"type": "logical", "operator": operator, "conditions": children}:
            answers = [tree_holds(child, id, attributes) for child in children]
            return all(answers) if operator == "and" else any(answers)
    raise AssertionError(f"no node: {tree}")
