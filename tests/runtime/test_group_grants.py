"""Grants to groups: they count for each member, and are stored once (P7)."""

from typing import Any

import pytest
from writ.bundles.file.fact_records import LISTED_GRANTS
from writ.bundles.file.reader import open_bundle
from writ.runtime import Engine
from writ.runtime import snapshot as snapshots

from tests.runtime.state.test_overlay import lead
from tests.support.bundling import engine_for

MANY = LISTED_GRANTS + 4
DOCUMENTS = [f"d{number:02}" for number in range(MANY)]


def user(id: str) -> dict[str, str]:
    return {"type": "user", "id": id}


def grant(id: str, on: str, **holder: Any) -> dict[str, Any]:
    return {"id": id, "resource": {"type": "document", "id": on}, "actions": ["read"], **holder}


def model(*grants: dict[str, Any], **more: Any) -> dict[str, Any]:
    groups = [
        {"id": "all", "members": [{"group": "team"}, user("bob")]},
        {"id": "team", "members": [user("alice")]},
        {"id": "empty"},
    ]
    return {
        "resource_types": [{"id": "document", "actions": ["read", "update"]}],
        "groups": groups,
        "grants": list(grants),
        **more,
    }


def ask(engine: Engine, who: str, document: str, **options: Any) -> dict[str, Any]:
    request = {"subject": user(who), "action": {"name": "read"}, "resource": {"type": "document", "id": document}}
    answer = engine.decide(request | ({"options": options} if options else {}))
    assert answer["decision"] == engine.allowed("user", who, "read", "document", document)
    return answer


def filtered(engine: Engine, who: str, **options: Any) -> dict[str, Any]:
    search = {"subject": user(who), "action": {"name": "read"}, "resource": {"type": "document"}}
    return engine.filter(search | {"options": options})


@pytest.mark.parametrize("count", [3, MANY])
def test_a_grant_counts_for_members_at_any_depth_and_is_stored_once(count, tmp_path):
    """For groups whose record lists the resources, and for those with too many."""
    granted = DOCUMENTS[:count]
    path = tmp_path / "m.bundle"
    engine = engine_for(model(*(grant(f"g {id}", id, group="all") for id in granted)), path)
    for who, document, allowed in (("alice", "d01", True), ("bob", "d02", True), ("carl", "d01", False)):
        assert ask(engine, who, document)["decision"] is allowed
    answer = ask(engine, "alice", "d01", explain=True)
    assert answer["context"]["access_path"] == "direct"
    (candidate,) = answer["context"]["explanation"]["candidates"]
    assert candidate["held_by"] == {"group": "all"}
    assert filtered(engine, "alice", include_direct=True)["filter"]["value"] == granted
    assert open_bundle(path).manifest.counts["grants"] == count
    assert open_bundle(path).subject("user", "alice").granted == ()


def test_the_smallest_id_of_own_and_group_grants_is_reported(tmp_path):
    """D8, D10: the proof shows all of them, by id."""
    grants = [grant("g2", "d1", group="all"), grant("g1", "d1", group="team"), grant("g3", "d1", subject=user("alice"))]
    engine = engine_for(model(*grants), tmp_path / "m.bundle")
    context = ask(engine, "alice", "d1", explain=True)["context"]
    assert context["policy_id"] == "g1"
    found = [(one["id"], one.get("held_by")) for one in context["explanation"]["candidates"]]
    assert found == [("g1", {"group": "team"}), ("g2", {"group": "all"}), ("g3", None)]


def test_include_direct_joins_the_grants_of_subject_and_groups(tmp_path):
    """F3: each id once, in order; `access_paths` says so without the option too."""
    grants = [
        *(grant(f"a {id}", id, group="all") for id in DOCUMENTS),
        *(grant(f"t {id}", id, group="team") for id in DOCUMENTS[3:5]),
        grant("own", "zzz", subject=user("alice")),
        grant("other", "d00", group="empty"),
    ]
    engine = engine_for(model(*grants), tmp_path / "m.bundle")
    assert filtered(engine, "alice", include_direct=True)["filter"]["value"] == [*DOCUMENTS, "zzz"]
    assert filtered(engine, "bob", include_direct=True)["filter"]["value"] == DOCUMENTS
    assert filtered(engine, "bob")["context"]["access_paths"] == ["direct"]
    assert filtered(engine, "carl")["context"]["access_paths"] == []


def test_a_membership_changes_decisions_at_once(tmp_path):
    before = model(grant("g", "d1", group="team"))
    without = [{"id": "all", "members": [user("bob")]}, {"id": "team"}, {"id": "empty"}]
    engine = engine_for(before, tmp_path / "m.bundle")
    assert ask(engine, "alice", "d1")["decision"] is True
    lead(engine, before, before | {"groups": without})
    assert ask(engine, "alice", "d1")["decision"] is False
    assert filtered(engine, "alice")["context"]["access_paths"] == []


def test_what_grants_cover_is_cached_for_all_members(tmp_path):
    """A policy test of the cache: a change of grants drops it, and instants count (P4)."""
    dated = grant("g", "d1", group="team", expires_at="1970-01-01T00:01:40Z")
    engine = engine_for(model(dated), tmp_path / "m.bundle")
    search = {"subject": user("alice"), "action": {"name": "read"}, "resource": {"type": "document"}}
    for now, has in ((99.0, True), (100.0, False), (99.5, True)):
        assert engine.filter(search, now)["context"]["access_paths"] == (["direct"] if has else [])
    assert len(engine._snapshot.covering) == 1
    lead(engine, model(dated), model())
    assert engine.filter(search, 99.0)["context"]["access_paths"] == []


def test_validity_knows_the_edges_of_group_grants(tmp_path):
    dated = grant("g", "d1", group="all", starts_at="1970-01-01T00:01:40Z", expires_at="1970-01-01T00:03:20Z")
    engine = engine_for(model(dated), tmp_path / "m.bundle")
    request = {"subject": user("alice"), "action": {"name": "read"}, "resource": {"type": "document", "id": "d1"}}
    for now, allowed, until in (
        (99.0, False, "1970-01-01T00:01:40Z"),
        (100.0, True, "1970-01-01T00:03:20Z"),
        (200.0, False, None),
    ):
        answer = engine.decide(request | {"options": {"valid_until": True}}, now)
        assert (answer["decision"], answer["context"]["valid_until"]) == (allowed, until)
        search = request | {"resource": {"type": "document"}, "context": {}}
        options = {"gates": "decide", "include_direct": True}
        assert engine.filter(search | {"options": options}, now)["context"]["valid_until"] == until


def test_a_subject_in_many_groups_is_decided_off_the_event_loop(tmp_path, monkeypatch):
    """A look for each group with grants takes long, so another thread does it."""
    engine = engine_for(model(grant("g", "d1", group="all"), grant("h", "d2", group="team")), tmp_path / "m.bundle")
    assert ask(engine, "alice", "d1")["decision"] is True
    monkeypatch.setattr(snapshots, "MOST_GRANTING", 1)
    refused: list[str] = []
    monkeypatch.setattr(snapshots, "refuse_on_event_loop", lambda: refused.append("refused"))
    assert ask(engine, "alice", "d1")["decision"] is True
    assert refused


def test_a_node_for_each_of_a_subject_and_its_actor(tmp_path):
    """A1, F8: two nodes are two conditions, and both must hold."""
    engine = engine_for(model(grant("g", "d1", group="all")), tmp_path / "m.bundle")
    tree = filtered(engine, "alice", include_direct="node", actor=user("bob"))["filter"]
    assert tree["operator"] == "and"
    found = [(one["type"], one["subject"]["id"], one["groups"]) for one in tree["conditions"]]
    assert found == [("direct", "alice", ["all", "team"]), ("direct", "bob", ["all"])]


def test_no_subject_gets_the_node_of_another(tmp_path):
    """F8: all subjects share the cached form, and each has its node."""
    engine = engine_for(model(grant("g", "d1", group="all")), tmp_path / "m.bundle")
    for who, groups in (("alice", ["all", "team"]), ("bob", ["all"]), ("carl", []), ("alice", ["all", "team"])):
        tree = filtered(engine, who, include_direct="node")["filter"]
        assert (tree["subject"], tree["groups"]) == (user(who), groups)
    (derived,) = engine._snapshot.rules.filters._derived.values()
    assert len(derived.with_node) == 1
