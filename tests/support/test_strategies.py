"""The strategies make valid models only: no model error of the rules occurs in them."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
import re2
from hypothesis import given, settings
from writ.bundles.zones import zone_names
from writ.compiler.load import load
from writ.compiler.source import Source

from tests.support import oracle
from tests.support.oracle_gates import network
from tests.support.oracle_instants import instant
from tests.support.strategies import documents, seeded_case
from tests.support.strategies_pick import Pick
from tests.support.strategies_requests import request
from tests.support.strategies_required import require, required_keys

Row = dict[str, Any]


def lists_of(document: Row, name: str) -> list[Row]:
    """One list of the document, empty where absent."""
    return document.get(name, [])


def test_documents_obey_every_model_error() -> None:
    """C2-C9, P1, P2 on many seeds."""
    for seed in range(500):
        assert list(model_errors(seeded_case(seed)[0])) == [], seed


@settings(deadline=None, max_examples=30)
@given(documents())
def test_drawn_documents_obey_every_model_error(document: Row) -> None:
    """The same for those that hypothesis draws and shrinks."""
    assert list(model_errors(document)) == []


@pytest.mark.parametrize("seed", range(20))
def test_the_same_seed_makes_the_same_case(seed: int) -> None:
    """A failing seed can be replayed."""
    assert repr(seeded_case(seed)) == repr(seeded_case(seed))


def test_required_attributes_fit_their_conditions_and_matter() -> None:
    """C12: the compiler accepts each declaration, and some decisions would differ without it."""
    requiring = differing = 0
    for seed in range(300):
        model, _, now = seeded_case(seed)
        pick = Pick.seeded(seed)
        require(pick, model)
        asked = request(pick, model)
        if not required_keys(model):
            continue
        requiring += 1
        loaded = load([Source("model.json", json.dumps(model).encode())], zone_names())
        assert loaded.model is not None, (seed, loaded.diagnostics)
        optional = {name: rows for name, rows in model.items() if name != "attributes"}
        differing += oracle.decide(model, asked, now) != oracle.decide(optional, asked, now)
    assert requiring > 50
    assert differing >= 3


def test_a_request_names_each_entity_once() -> None:
    """E2: exactly one identifier, a null or empty one does not count."""
    for seed in range(500):
        request = seeded_case(seed)[1]
        subject, resource = request["subject"], request["resource"]
        assert sum(bool(subject.get(name)) for name in ("id", "external_id")) == 1, seed
        assert sum(bool(resource.get(name)) for name in ("id", "external_id", "name")) == 1, seed


def model_errors(document: Row) -> Iterator[str]:
    """The model errors of a document, as far as the rules name them."""
    yield from reference_errors(document)
    yield from uniqueness_errors(document)
    for policy in lists_of(document, "policies"):
        conditions = policy.get("conditions", {})
        if policy["effect"] == "DENY" and "rate_limit" in conditions:
            yield "a DENY with rate_limit (C10)"
        if policy.get("roles") == []:
            yield "empty roles (P2)"
        if policy.get("except_roles") == [] or set(policy.get("except_roles", [])) & set(policy.get("roles", [])):
            yield "no exceptions, or one that is a role too (P6)"
        for section in ("resource_attrs", "subject_attrs", "action_attrs", "context_attrs"):
            for condition in conditions.get(section, []):
                if condition["op"].startswith("has") and "arrays" not in document.get("extensions", []):
                    yield "a comparison of elements without the extension (X6)"
                if "value_of" not in condition:
                    yield from condition_errors(condition["op"], condition["value"])
                elif condition["value_of"] == "now":
                    if "now" not in document.get("extensions", []):
                        yield "`now` without the extension (X5)"
                elif "references" not in document.get("extensions", []):
                    yield "a reference without the extension (X1)"
        yield from gate_errors(conditions)


def reference_errors(document: Row) -> Iterator[str]:
    """References to nothing (P1, P2, E7)."""
    types = {t["id"]: t["actions"] for t in lists_of(document, "resource_types")}
    types["*"] = [action for actions in types.values() for action in actions]
    roles, groups = ({row["id"] for row in lists_of(document, name)} for name in ("roles", "groups"))
    covered = [
        (e["resource_type_id"], e["actions"]) for p in lists_of(document, "policies") for e in p["resource_types"]
    ]
    covered += [(g["resource"]["type"], g["actions"]) for g in lists_of(document, "grants")]
    if not all(actions and set(actions) <= {"*", *types.get(type_, ())} for type_, actions in covered):
        yield "an undeclared action (P1)"
    if not {type_ for type_, _ in covered} | {r["type"] for r in lists_of(document, "resources")} <= types.keys():
        yield "an undeclared type (P1)"
    assigned = lists_of(document, "assignments")
    used = {
        role for p in lists_of(document, "policies") for name in ("roles", "except_roles") for role in p.get(name, [])
    } | {a["role"] for a in assigned}
    members = [m for g in lists_of(document, "groups") for m in g.get("members", [])]
    if not used <= roles or not {x["group"] for x in [*assigned, *members] if "group" in x} <= groups:
        yield "an undeclared role or group"
    if not all(("subject" in a) ^ ("group" in a) for a in assigned):
        yield "an assignment to both or neither"


def uniqueness_errors(document: Row) -> Iterator[str]:
    """Ids, names and aliases that occur twice (E1)."""
    for name in ("resource_types", "roles", "groups", "policies", "grants"):
        rows = lists_of(document, name)
        if len({row["id"] for row in rows}) < len(rows):
            yield f"an id twice in {name}"
        if name != "grants" and len({row.get("name", row["id"]) for row in rows}) < len(rows):
            yield f"a name twice in {name}"
    for name in ("subjects", "resources"):
        for member in ("id", "external_id", "name"):
            keys = [(row["type"], row[member]) for row in lists_of(document, name) if member in row]
            if len(set(keys)) < len(keys):
                yield f"{member} twice in {name}"


def condition_errors(op: str, value: Any) -> Iterator[str]:
    """Constants that the operator can't have (C2, C4, C5, C6)."""
    if "None" in repr(value):
        yield "a null in a constant (C2)"
    if op in ("gt", "gte", "lt", "lte") and (isinstance(value, bool) or not isinstance(value, int | float | str)):
        yield "a constant without an order (C4)"
    if op in ("in", "nin") and not isinstance(value, list):
        yield "no array (C5)"
    if op == "regex" and re2.compile(value) is None:
        yield "no pattern (C6)"


def gate_errors(conditions: Row) -> Iterator[str]:
    """Windows and allowlists that are empty or can't be read (C8, C9)."""
    window = conditions.get("time_window", {"days": ["mon"]})
    if not window.keys() & {"not_before", "not_after", "days", "start", "end"} or window.get("days") == []:
        yield "an empty window (C8)"
    if instant(window.get("not_before", 0)) is None or instant(window.get("not_after", 0)) is None:
        yield "no instant (C8)"
    elif {"not_before", "not_after"} <= window.keys() and instant(window["not_before"]) >= instant(window["not_after"]):
        yield "not_before is not before not_after (C8)"
    if window.get("start", "00:00") == window.get("end", "24:00"):
        yield "start is end (C8)"
    if conditions.get("ip_allowlist") == []:
        yield "an empty allowlist (C9)"
    for block in conditions.get("ip_allowlist", []):
        network(block)
