"""Particular deltas: cases that random edits seldom reach."""

import pytest
from writ.api.store.elements.edits import Create, Delete, Patch, Put
from writ.api.store.errors import Rejected
from writ.bundles.conditions.instants import SECOND, parse_instant
from writ.bundles.delta import GrantsChange, PolicyChange, ResourceChange, RoutingChange, SubjectChange, decode_delta
from writ.bundles.file.fact_records import LISTED_GRANTS
from writ.bundles.program.facts import EntityKey
from writ.bundles.zones import zone_data

from tests.support.stored import ENV, deltas, put, write

ALICE = {"type": "user", "id": "alice"}


def grant(id, actions=("*",), type="document"):
    return {"id": f"g {id}", "subject": ALICE, "resource": {"type": type, "id": id}, "actions": list(actions)}


@pytest.fixture(autouse=True)
def model(store):
    put(store, {"resource_types": [{"id": "document", "actions": ["read"]}, {"id": "bare", "actions": []}]})


def changes(store, *edits):
    """Returns the changes in the delta of a write."""
    write(store, *edits)
    env = store.environment(ENV)
    (delta,) = deltas(store, env.revision - 1)
    return decode_delta(delta).changes


def one(kind, found):
    (change,) = (change for change in found if isinstance(change, kind))
    return change


def test_a_type_that_is_closed_now_tells_its_instances(store):
    """Also those that only a grant names. In an open type, they need not be registered (E3, E7)."""
    write(store, Create("grants", grant("a")), Create("resources", {"type": "document", "id": "b"}))
    found = changes(store, Patch("resource_types", ("document",), {"closed": True}))
    assert set(found[1:]) == {ResourceChange(EntityKey("document", id), True) for id in "ab"}
    assert len(changes(store, Patch("resource_types", ("document",), {"closed": False}))) == 1


def test_every_action_of_a_type_without_any_is_no_grant_until_it_has_one(store):
    found = changes(store, Create("grants", grant("a", type="bare")))
    assert one(SubjectChange, found).granted == ()
    assert one(SubjectChange, found).present
    found = changes(store, Patch("resource_types", ("bare",), {"actions": ["open"]}))
    assert one(SubjectChange, found).granted == (EntityKey("bare", "a"),)


def test_many_granted_resources_are_not_listed(store):
    found = changes(store, *(Create("grants", grant(f"{n:02}")) for n in range(LISTED_GRANTS)))
    assert len(one(SubjectChange, found).granted) == LISTED_GRANTS
    assert one(SubjectChange, changes(store, Create("grants", grant("x")))).granted is None
    assert one(SubjectChange, changes(store, Delete("grants", ("g x",)))).granted is not None


def test_a_delta_has_the_start_of_a_grant_and_of_a_holding(store):
    """P4: without it, an agent would allow early."""
    start = "2035-01-01T00:00:00Z"
    started = {"starts_at": start}
    found = changes(store, Create("grants", grant("a") | started))
    assert [given.starts for given in one(GrantsChange, found).grants] == [parse_instant(start) / SECOND]
    put(store, {"resource_types": [{"id": "document", "actions": ["read"]}], "roles": [{"id": "r"}]})
    found = changes(store, Create("assignments", {"role": "r", "subject": ALICE} | started))
    assert [len(held) for held in one(SubjectChange, found).holdings] == [3]


def test_a_policy_brings_its_time_zone_and_a_disabled_one_has_no_clauses(store):
    scope = [{"resource_type_id": "*", "actions": ["read"]}]
    window = {"time_window": {"start": "09:00", "timezone": "Europe/Oslo"}}
    write(store, Create("policies", {"id": "p", "effect": "ALLOW", "resource_types": scope, "conditions": window}))
    (delta,) = deltas(store, 1)
    assert decode_delta(delta).zones == {"Europe/Oslo": zone_data("Europe/Oslo")}
    assert one(PolicyChange, changes(store, Patch("policies", ("p",), {"enabled": False}))).clauses == ()


def test_a_large_commit_has_no_delta_and_a_new_bundle_is_needed(store):
    subjects = [{"type": "user", "id": str(n), "external_id": str(n)} for n in range(501)]
    write(store, *(Create("subjects", subject) for subject in subjects[:500]))
    env = store.environment(ENV)
    assert len(deltas(store, 1)) == 1
    put(store, {"subjects": [{"type": "user", "id": str(n)} for n in range(1_001)]})
    env = store.environment(ENV)
    assert deltas(store, 1) is None
    assert deltas(store, env.revision) == []
    assert deltas(store, env.revision + 1) is None
    assert deltas(store, -1) is None


def test_bundles_are_recorded_by_revision(store):
    env = store.environment(ENV)
    assert store.updates(ENV).bundle is None
    store.record_bundle(env, 1, "one")
    store.record_bundle(env, 0, "none")
    store.record_bundle(env, 1, "one again")
    assert store.updates(ENV).bundle == (1, "one again")


def test_a_change_of_required_attributes_needs_a_new_bundle(store):
    """C12: it may change what any policy decides."""
    needed = {"context": {"risk": {"kind": "number", "required": True}}}
    for declared in (needed, {}):
        put(store, {"resource_types": [{"id": "document", "actions": ["read"]}], "attributes": declared})
        assert deltas(store, store.environment(ENV).revision - 1) is None


TYPE = {"id": "paper", "actions": ["read"]}


@pytest.mark.parametrize(
    ("before", "after", "is_delta"),
    [
        (None, TYPE, True),
        (None, TYPE | {"attributes": {}}, False),
        (TYPE | {"attributes": {"a": "string"}}, TYPE | {"attributes": {"a": {"kind": "string"}}, "name": "p"}, True),
        (TYPE | {"attributes": {"a": "string"}}, TYPE | {"attributes": {"a": "number"}}, False),
        (TYPE | {"attributes": {"a": "string"}}, TYPE, False),
        (TYPE | {"attributes": {"a": "string"}}, None, False),
        (TYPE, None, True),
    ],
)
def test_a_change_of_declared_attributes_needs_a_new_bundle(store, before, after, is_delta):
    """E8: the bundle has them, and a delta does not."""
    if before is not None:
        write(store, Create("resource_types", before))
    revision = store.environment(ENV).revision
    key = ("paper",)
    write(store, Delete("resource_types", key) if after is None else Put("resource_types", key, after))
    assert (deltas(store, revision) is not None) == is_delta


def test_a_declared_type_reaches_the_routes_that_take_the_attribute(store):
    """C11: a route reads a value as the type that its resource type declares."""
    taken = {"attributes": {"size": "header:X-Size"}, "path": "/{id}", "methods": ["GET"], "action": "read"}
    write(store, Create("routes", {"id": "r", "resource_type": "document", **taken}))
    write(store, Patch("resource_types", ("document",), {"attributes": {"size": "number"}}))
    found = changes(store, Patch("routes", ("r",), {"attributes": {"size": "query:size"}}))
    assert [source.kind for source in one(RoutingChange, found).routing.routes[0].attributes] == ["number"]
    stated = Patch("routes", ("r",), {"attributes": {"size": "header:X-Size as number"}})
    write(store, stated)
    with pytest.raises(Rejected):
        write(store, Patch("resource_types", ("document",), {"attributes": {"size": "boolean"}}))
