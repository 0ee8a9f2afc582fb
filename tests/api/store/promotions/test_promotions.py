"""Promotions in a store: what they take over, what they refuse, and who may approve them (contract 2.9 rule 6)."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from writ.api.engines.live.bundle_files import BundleFiles
from writ.api.store.actor import ADMIN_KEY, Actor
from writ.api.store.audit.entries import EntryFilter
from writ.api.store.credentials.credentials import ApiKeySpec, ClientSpec
from writ.api.store.elements.edits import Create, Delete, Patch, Replace
from writ.api.store.environments import EnvironmentChange
from writ.api.store.errors import Conflict, Drifted, NotFound, NotPermitted, OutOfBounds, Rejected
from writ.api.store.models.replacing import Replacement
from writ.api.store.promotions import policy_replacement, promotions
from writ.api.store.promotions.policy_model import PolicyModel, policy_model
from writ.api.store.promotions.promotion import MAX_SHOWN, MAX_SHOWN_BYTES, Wanted
from writ.api.store.promotions.promotions import Promotions
from writ.api.store.store import Store
from writ.bundles.file.reader import open_bundle

from tests.support.store_engines import Engine
from tests.support.stored import ACTOR, put, stored

ADMIN = Actor(ADMIN_KEY)
STAGING, PROD = "staging", "default"

MODEL: dict[str, Any] = {
    "resource_types": [{"id": "document", "actions": ["read", "update"]}],
    "roles": [{"id": "editor"}, {"id": "viewer"}],
    "policies": [
        {
            "id": id,
            "effect": "ALLOW",
            "roles": [role],
            "resource_types": [{"resource_type_id": "document", "actions": [action]}],
        }
        for id, role, action in (("p1", "editor", "update"), ("p2", "viewer", "read"))
    ],
}
FACTS: dict[str, Any] = {
    "groups": [{"id": "eng", "members": [{"type": "user", "id": "bob"}]}],
    "assignments": [
        {"id": "a1", "role": "editor", "subject": {"type": "user", "id": "alice"}},
        {"id": "a2", "role": "editor", "group": "eng"},
    ],
    "grants": [
        {
            "id": "g1",
            "subject": {"type": "user", "id": "carol"},
            "resource": {"type": "document", "id": "d1"},
            "actions": ["update"],
        }
    ],
}
FROM_STAGING = Wanted(STAGING)


@pytest.fixture
def store(engine: Engine, tmp_path: Path) -> Iterator[Store]:
    """A store whose `staging` has a policy model, and whose `default` has the same one, promoted, and facts."""
    made = engine.open(tmp_path)
    made.create_environment(ADMIN, STAGING)
    put(made, MODEL, STAGING)
    made.promotions.promote(PROD, ADMIN, FROM_STAGING)
    put(made, MODEL | FACTS, PROD)
    yield made
    made.close()


def edit(store: Store, env: str, *edits: Any) -> None:
    store.write(env, ACTOR, edits)


def change_staging(store: Store) -> None:
    edit(
        store,
        STAGING,
        Create("roles", {"id": "owner"}),
        Patch("policies", ("p1",), {"roles": ["owner"]}),
        Delete("policies", ("p2",)),
    )


def policies(store: Store, env: str = PROD) -> dict[str, Any]:
    return {one["id"]: one for one in stored(store, env)["policies"]}


def test_a_preview_lists_no_element_whose_members_stand_in_another_order(store: Store) -> None:
    turned = [dict(reversed(one.items())) for one in MODEL["policies"]]
    put(store, MODEL | {"policies": turned}, STAGING)
    preview = store.promotions.preview(PROD, ACTOR, FROM_STAGING)
    assert (preview.changes, preview.elements) == ({}, ())


def test_a_constant_of_another_type_has_drifted(store: Store) -> None:
    """In Python `1` equals `True`, and in a condition it does not (C3)."""
    flags = {"conditions": {"resource_attrs": [{"key": "open", "op": "eq", "value": True}]}}
    edit(store, STAGING, Patch("policies", ("p1",), flags))
    store.promotions.promote(PROD, ADMIN, FROM_STAGING)
    assert not store.promotions.drift(PROD).drifted
    flags["conditions"]["resource_attrs"][0]["value"] = 1
    edit(store, PROD, Patch("policies", ("p1",), flags))
    assert [one.id for one in store.promotions.drift(PROD).changes] == ["p1"]


def test_a_promotion_takes_over_the_policy_model_and_nothing_else(store: Store) -> None:
    change_staging(store)
    before = stored(store)
    preview = store.promotions.preview(PROD, ACTOR, FROM_STAGING)
    done = store.promotions.promote(PROD, ACTOR, Wanted(STAGING, "release 7", expect_digest=preview.digest))
    after, source = stored(store), stored(store, STAGING)
    for kind in ("resource_types", "roles", "policies"):
        assert after[kind] == source[kind]
    for kind in FACTS:
        assert after[kind] == before[kind]
    assert (done.status, done.environment, done.revision) == ("done", STAGING, store.environment(PROD).revision)
    assert done.digest == preview.digest == store.promotions.policy_model(PROD)[1].digest
    assert (
        done.changes
        == preview.changes
        == {
            "roles": {"added": 1, "changed": 0, "removed": 0},
            "policies": {"added": 0, "changed": 1, "removed": 1},
        }
    )
    revision, _ = store.revision(PROD, done.revision)
    assert revision.by == ACTOR.name
    assert revision.promotion is not None
    assert (revision.promotion.id, revision.promotion.source_revision) == (done.id, store.environment(STAGING).revision)
    assert (revision.promotion.promoted_by, revision.promotion.note) == (ACTOR.name, "release 7")


def test_a_preview_shows_elements_and_writes_nothing(store: Store) -> None:
    change_staging(store)
    before, revision = stored(store), store.environment(PROD).revision
    shown = store.promotions.preview(PROD, ACTOR, FROM_STAGING)
    assert (stored(store), store.environment(PROD).revision) == (before, revision)
    changed = {(one.kind, one.id): one for one in shown.elements}
    assert changed["roles", "owner"].change == "added"
    assert changed["policies", "p2"].after is None
    difference = changed["policies", "p1"]
    assert difference.before is not None
    assert difference.after is not None
    assert (difference.before["roles"], difference.after["roles"]) == (["editor"], ["owner"])


def test_a_preview_shows_a_bounded_number_of_elements(store: Store) -> None:
    put(store, MODEL | {"roles": [*MODEL["roles"], *({"id": f"r{one}"} for one in range(MAX_SHOWN + 1))]}, STAGING)
    shown = store.promotions.preview(PROD, ACTOR, FROM_STAGING)
    assert (len(shown.elements), shown.truncated) == (MAX_SHOWN, True)


def test_two_promotions_of_the_same_model_have_the_same_digest(store: Store) -> None:
    first = store.promotions.preview(PROD, ACTOR, FROM_STAGING)
    document = stored(store, STAGING)
    put(store, document | {"policies": [*reversed(document["policies"])]}, STAGING)
    assert store.promotions.preview(PROD, ACTOR, FROM_STAGING).digest == first.digest


def test_a_drifted_target_is_refused_with_its_drift_unless_that_is_accepted(store: Store) -> None:
    assert not store.promotions.drift(PROD).drifted
    edit(store, PROD, Patch("policies", ("p1",), {"priority": 5}), Create("roles", {"id": "hand-made"}))
    edit(store, PROD, Create("subjects", {"type": "user", "id": "new"}))
    with pytest.raises(Drifted) as refused:
        store.promotions.promote(PROD, ACTOR, FROM_STAGING)
    drift = store.promotions.drift(PROD)
    assert refused.value.drift == drift
    assert drift.drifted
    assert [(one.kind, one.id, one.change, one.by) for one in drift.changes] == [
        ("policies", "p1", "changed", ACTOR.name),
        ("roles", "hand-made", "added", ACTOR.name),
    ]
    assert store.promotions.preview(PROD, ACTOR, FROM_STAGING).drift == drift
    done = store.promotions.promote(PROD, ACTOR, Wanted(STAGING, accept_drift=True))
    assert done.accepted_drift == drift.changes
    assert not store.promotions.drift(PROD).drifted


def test_an_edit_that_was_taken_back_or_means_the_same_is_no_drift(store: Store) -> None:
    edit(store, PROD, Patch("policies", ("p1",), {"priority": 5}))
    edit(store, PROD, Patch("policies", ("p1",), {"priority": None}))
    edit(store, PROD, Patch("resource_types", ("document",), {"actions": ["update", "read"]}))
    assert store.promotions.drift(PROD).changes == ()
    edit(store, PROD, Delete("policies", ("p2",)))
    assert [one.change for one in store.promotions.drift(PROD).changes] == ["removed"]


def test_an_environment_without_a_promotion_has_no_drift(store: Store) -> None:
    drift = store.promotions.drift(STAGING)
    assert (drift.drifted, drift.baseline, drift.changes) == (False, None, ())


@pytest.mark.parametrize(
    ("edits", "user"),
    [
        ((Delete("roles", ("editor",), cascade=True),), ("assignments", ("a1",))),
        ((Delete("resource_types", ("document",), cascade=True),), ("grants", ("g1",))),
        (
            (
                Delete("policies", ("p1",)),
                Replace("resource_types", ("document",), {"id": "document", "actions": ["read"]}),
            ),
            ("grants", ("g1",)),
        ),
    ],
)
def test_what_the_target_still_uses_is_not_removed(store: Store, edits: Any, user: Any) -> None:
    edit(store, STAGING, *edits)
    before, revision = stored(store), store.environment(PROD).revision
    with pytest.raises(Conflict) as refused:
        store.promotions.promote(PROD, ACTOR, FROM_STAGING)
    assert user in [one[:2] for one in refused.value.users]
    assert user in [(one.kind, (one.id,)) for one in store.promotions.preview(PROD, ACTOR, FROM_STAGING).in_use]
    assert (stored(store), store.environment(PROD).revision) == (before, revision)


def test_another_digest_than_the_expected_one_promotes_nothing(store: Store) -> None:
    shown = store.promotions.preview(PROD, ACTOR, FROM_STAGING)
    change_staging(store)
    revision = store.environment(PROD).revision
    pinned = Wanted(STAGING, expect_digest=shown.digest)
    with pytest.raises(Conflict, match="digest"):
        store.promotions.promote(PROD, ACTOR, pinned)
    assert store.environment(PROD).revision == revision
    with pytest.raises(Conflict, match="digest"):
        store.promotions.preview(PROD, ACTOR, pinned)
    with pytest.raises(Conflict, match="digest"):
        store.promotions.preview_restoration(PROD, ACTOR, 0, pinned)


@pytest.mark.parametrize("changed", [STAGING, PROD])
def test_what_changes_while_a_promotion_is_prepared_counts(
    store: Store, monkeypatch: pytest.MonkeyPatch, changed: str
) -> None:
    prepared = Promotions._prepared

    def then_changed(self: Promotions, find: Any, gate: Any) -> Any:
        found = prepared(self, find, gate)
        edit(store, changed, Patch("policies", ("p1",), {"priority": 7}))
        return found

    monkeypatch.setattr(Promotions, "_prepared", then_changed)
    if changed == PROD:
        with pytest.raises(Drifted):
            store.promotions.promote(PROD, ACTOR, FROM_STAGING)
        return
    done = store.promotions.promote(PROD, ACTOR, FROM_STAGING)
    assert policies(store)["p1"]["priority"] == 7
    assert done.source_revision == store.environment(STAGING).revision


def test_other_writes_do_not_wait_while_policy_models_are_read(
    engine: Engine, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_staging(store)
    store.create_environment(ADMIN, "other")
    elsewhere, written = engine.open(store.directory), list[int]()

    def meanwhile(*arguments: Any) -> PolicyModel:
        edit(elsewhere, "other", Create("subjects", {"type": "user", "id": "meanwhile"}))
        written.append(elsewhere.environment("other").revision)
        return policy_model(*arguments)

    monkeypatch.setattr(promotions, "policy_model", meanwhile)
    store.promotions.promote(PROD, ACTOR, FROM_STAGING)
    elsewhere.close()
    assert written == [1]


def test_other_writes_do_not_wait_while_the_difference_is_found(
    engine: Engine, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A promotion and a restoration find it once, outside the write lock."""
    change_staging(store)
    store.create_environment(ADMIN, "other")
    elsewhere, written = engine.open(store.directory), list[int]()

    def meanwhile(*arguments: Any, **more: Any) -> Replacement:
        edit(elsewhere, "other", Create("subjects", {"type": "user", "id": f"meanwhile {len(written)}"}))
        written.append(elsewhere.environment("other").revision)
        return Replacement(*arguments, **more)

    monkeypatch.setattr(policy_replacement, "Replacement", meanwhile)
    before = policies(store)
    store.promotions.promote(PROD, ACTOR, FROM_STAGING)
    assert policies(store) != before
    store.promotions.restore(PROD, ACTOR, store.environment(PROD).revision - 1, Wanted(PROD))
    elsewhere.close()
    assert written == [1, 2]
    assert policies(store) == before


def test_an_environment_is_not_promoted_to_itself_or_from_nowhere(store: Store) -> None:
    with pytest.raises(Rejected):
        store.promotions.promote(PROD, ACTOR, Wanted(PROD))
    with pytest.raises(NotFound):
        store.promotions.promote(PROD, ACTOR, Wanted("nowhere"))


def test_a_bound_credential_must_reach_both_ends(store: Store) -> None:
    for env in (PROD, STAGING):
        bound = Actor("client:x", bounds=frozenset({store.environment(env).uuid}))
        with pytest.raises(OutOfBounds):
            store.promotions.promote(PROD, bound, FROM_STAGING)


def test_a_restoration_goes_back_to_a_policy_model_and_keeps_the_facts(store: Store) -> None:
    before, old = policies(store), store.environment(PROD).revision
    change_staging(store)
    store.promotions.promote(PROD, ACTOR, FROM_STAGING)
    edit(store, PROD, Create("subjects", {"type": "user", "id": "new"}))
    assert policies(store) != before
    shown = store.promotions.preview_restoration(PROD, ACTOR, old, Wanted(PROD))
    done = store.promotions.restore(PROD, ACTOR, old, Wanted(PROD, "bad release"))
    assert policies(store) == before
    assert {"type": "user", "id": "new"} in stored(store)["subjects"]
    assert (done.kind, done.environment, done.source_revision, done.digest) == ("restoration", PROD, old, shown.digest)
    assert not store.promotions.drift(PROD).drifted


def test_what_had_drifted_at_a_restored_revision_has_drifted_again(store: Store) -> None:
    edit(store, PROD, Patch("policies", ("p1",), {"priority": 5}))
    drifted = store.environment(PROD).revision
    change_staging(store)
    store.promotions.promote(PROD, ACTOR, Wanted(STAGING, accept_drift=True))
    store.promotions.restore(PROD, ACTOR, drifted, Wanted(PROD))
    assert [one.id for one in store.promotions.drift(PROD).changes] == ["p1"]
    with pytest.raises(Drifted):
        store.promotions.promote(PROD, ACTOR, FROM_STAGING)


def test_a_restoration_that_would_leave_something_dangling_is_refused(store: Store) -> None:
    with pytest.raises(Conflict):
        store.promotions.restore(PROD, ACTOR, 0, Wanted(PROD))
    with pytest.raises(NotFound):
        store.promotions.restore(PROD, ACTOR, 99, Wanted(PROD))


def test_every_bundle_says_where_its_policies_come_from_without_person_and_time(store: Store) -> None:
    source = store.environment(STAGING)
    manifest = open_bundle(BundleFiles(store.path.parent, store).build(PROD)).manifest
    digest = store.promotions.policy_model(PROD)[1].digest
    origin = {"id": STAGING, "uuid": source.uuid, "epoch": 1, "revision": source.revision}
    assert manifest.provenance == {"promoted": {"from": origin, "digest": digest}}
    assert open_bundle(BundleFiles(store.path.parent, store).build(STAGING)).manifest.provenance is None


@pytest.mark.parametrize(
    "edits",
    [
        (Create("roles", {"id": "r"}),),
        (Patch("policies", ("p1",), {"enabled": False}),),
        (Delete("policies", ("p1",)),),
        (Delete("roles", ("viewer",), cascade=True),),
    ],
)
def test_an_environment_that_changes_by_promotion_only_refuses_direct_edits(store: Store, edits: Any) -> None:
    store.change_environment(ACTOR, PROD, EnvironmentChange(promotion_only=True))
    revision = store.environment(PROD).revision
    with pytest.raises(Conflict, match="by promotion only"):
        edit(store, PROD, *edits)
    with pytest.raises(Conflict, match="by promotion only"):
        put(store, {}, PROD)
    assert store.environment(PROD).revision == revision
    edit(store, PROD, Create("subjects", {"type": "user", "id": "new"}), Delete("assignments", ("a1",)))
    change_staging(store)
    assert store.promotions.promote(PROD, ACTOR, FROM_STAGING).status == "done"


def test_only_the_administrators_key_loosens_an_environment(store: Store) -> None:
    strict = EnvironmentChange(promotion_only=True, approvals=1)
    store.change_environment(ACTOR, PROD, strict)
    store.change_environment(ACTOR, PROD, EnvironmentChange(description="Production", promotion_only=True))
    for change in (EnvironmentChange(promotion_only=False), EnvironmentChange(approvals=0)):
        with pytest.raises(NotPermitted):
            store.change_environment(ACTOR, PROD, change)
    store.create_environment(ACTOR, "other", strict)
    with pytest.raises(NotPermitted):
        store.delete_environment(ACTOR, "other")
    store.delete_environment(ADMIN, "other")
    store.change_environment(ADMIN, PROD, EnvironmentChange(promotion_only=False, approvals=0))
    found, _ = store.audit.page(EntryFilter(), None, 2, None)
    assert found[0].entry.details == {"promotion_only": False, "approvals": 0}


class Team:
    """Credentials of a store: `asker` and `other` that the administrator's key made, and `child` that `asker` made."""

    def __init__(self, store: Store) -> None:
        self._store, self._count = store, 0
        self.asker, self.other = self.made_by(ADMIN), self.made_by(ADMIN)
        self.child = self.made_by(self.asker)
        self.grandchild = self.made_by(self.child)

    def made_by(self, maker: Actor) -> Actor:
        self._count += 1
        key = self._store.credentials.add_api_key(maker, ApiKeySpec("k", ("admin",)), bytes([self._count] * 32))
        return Actor(f"api-key:{key.id}", api_key=key.id)


@pytest.fixture
def team(store: Store) -> Team:
    store.change_environment(ADMIN, PROD, EnvironmentChange(promotion_only=True, approvals=1))
    change_staging(store)
    return Team(store)


def test_a_promotion_waits_for_somebody_else(store: Store, team: Team) -> None:
    before = stored(store)
    waiting = store.promotions.promote(PROD, team.asker, Wanted(STAGING, "release 8"))
    assert (waiting.status, waiting.revision, stored(store)) == ("pending", None, before)
    shown = store.promotions.get(PROD, waiting.id)
    assert {one.id for one in shown.elements} == {"owner", "p1", "p2"}
    for actor in (team.asker, team.child, team.grandchild, ADMIN):
        with pytest.raises(NotPermitted):
            store.promotions.approve(PROD, actor, waiting.id)
    with pytest.raises(NotPermitted, match="nothing is known"):
        store.promotions.approve(PROD, Actor("api-key:from-before"), waiting.id)
    assert stored(store) == before
    done = store.promotions.approve(PROD, team.other, waiting.id, waiting.digest)
    assert (done.status, done.promoted_by, done.decided_by) == ("done", team.asker.name, team.other.name)
    assert policies(store)["p1"]["roles"] == ["owner"]
    with pytest.raises(Conflict, match="already"):
        store.promotions.approve(PROD, team.other, waiting.id)
    events = [one.entry.event for one in store.audit.page(EntryFilter(), None, 4, None)[0]]
    assert events == ["model.promoted", "promotion.approved", "model.changed", "promotion.requested"]


def test_what_a_child_asks_for_its_makers_may_not_approve(store: Store, team: Team) -> None:
    waiting = store.promotions.promote(PROD, team.grandchild, FROM_STAGING)
    for actor in (team.asker, team.child, ADMIN):
        with pytest.raises(NotPermitted):
            store.promotions.approve(PROD, actor, waiting.id)
    assert store.promotions.approve(PROD, team.other, waiting.id).status == "done"


def test_two_credentials_that_one_made_count_as_one(store: Store, team: Team) -> None:
    sibling = team.made_by(team.asker)
    waiting = store.promotions.promote(PROD, team.grandchild, FROM_STAGING)
    for actor in (sibling, team.made_by(sibling), team.made_by(team.child)):
        with pytest.raises(NotPermitted, match=f"`{team.asker.name}` can act as|`{team.child.name}` can act as"):
            store.promotions.approve(PROD, actor, waiting.id)
    assert store.promotions.approve(PROD, team.made_by(team.other), waiting.id).status == "done"


def test_who_gives_a_client_more_rights_may_know_its_secret(store: Store, team: Team) -> None:
    reader, named = (
        store.credentials.add_client(ADMIN, ClientSpec("c", ("read",), 60), bytes([100 + one] * 32)) for one in range(2)
    )
    store.credentials.change_client(team.asker, reader.id, lambda _: ClientSpec("c", ("admin",), 60))
    store.credentials.change_client(ADMIN, named.id, lambda _: ClientSpec("c", ("admin",), 60))
    store.credentials.change_client(team.asker, named.id, lambda _: ClientSpec("new name", ("admin",), 60))
    waiting = store.promotions.promote(PROD, team.asker, FROM_STAGING)
    with pytest.raises(NotPermitted, match="can act as"):
        store.promotions.approve(PROD, Actor(f"client:{reader.id}", client=reader.id), waiting.id)
    approver = Actor(f"client:{named.id}", client=named.id)
    assert store.promotions.approve(PROD, approver, waiting.id).status == "done"


def test_what_an_unknown_maker_made_counts_for_no_approval(store: Store, team: Team) -> None:
    old = Actor("api-key:from-before")
    waiting = store.promotions.promote(PROD, team.made_by(old), FROM_STAGING)
    with pytest.raises(NotPermitted, match="nothing is known of who made `api-key:from-before`"):
        store.promotions.approve(PROD, team.other, waiting.id)


def test_an_approval_holds_for_what_was_shown(store: Store, team: Team) -> None:
    waiting = store.promotions.promote(PROD, team.asker, FROM_STAGING)
    edit(store, STAGING, Delete("policies", ("p1",)))  # the source goes on
    with pytest.raises(Conflict, match="digest"):
        store.promotions.approve(PROD, team.other, waiting.id, "0" * 64)
    store.delete_environment(ADMIN, STAGING)
    store.promotions.approve(PROD, team.other, waiting.id)
    assert list(policies(store)) == ["p1"], "the policy model that was shown, not the source's newest one"


def test_a_change_of_the_target_makes_an_approval_stale(store: Store, team: Team) -> None:
    waiting, second = (store.promotions.promote(PROD, team.asker, FROM_STAGING) for _ in range(2))
    store.promotions.approve(PROD, team.other, second.id)
    with pytest.raises(Conflict, match="has changed since"):
        store.promotions.approve(PROD, team.other, waiting.id)
    assert store.promotions.reject(PROD, team.asker, waiting.id, "stale").status == "rejected"
    with pytest.raises(Conflict, match="already"):
        store.promotions.reject(PROD, team.other, waiting.id)


def test_a_restoration_waits_too(store: Store, team: Team) -> None:
    waiting = store.promotions.restore(PROD, team.asker, store.environment(PROD).revision, Wanted(PROD))
    assert (waiting.status, waiting.kind) == ("pending", "restoration")
    assert store.promotions.approve(PROD, team.other, waiting.id).status == "done"


def test_promotions_are_listed_newest_first_in_pages(store: Store, team: Team) -> None:
    waiting = [store.promotions.promote(PROD, team.asker, Wanted(STAGING, str(one))) for one in range(3)]
    first, cursor = store.promotions.list(PROD, 3)
    second, end = store.promotions.list(PROD, 3, cursor)
    assert [one.id for one in first] == [one.id for one in reversed(waiting)]
    assert [one.status for one in second] == ["done"]
    assert end is None
    assert store.promotions.list(STAGING, 3) == ([], None)


def test_those_that_wait_are_listed_alone(store: Store, team: Team) -> None:
    waiting = [store.promotions.promote(PROD, team.asker, Wanted(STAGING, str(one))) for one in range(4)]
    store.promotions.reject(PROD, team.other, waiting[1].id)
    first, cursor = store.promotions.list(PROD, 2, pending=True)
    second, end = store.promotions.list(PROD, 2, cursor, pending=True)
    assert [one.id for one in first + second] == [waiting[at].id for at in (3, 2, 0)]
    assert end is None
    assert store.promotions.list(STAGING, 2, pending=True) == ([], None)


def test_a_page_of_promotions_is_bounded_although_each_tells_much_drift(store: Store) -> None:
    ids = [f"wide{one}" for one in range(80)]
    edit(store, STAGING, *(Create("policies", MODEL["policies"][0] | {"id": id}) for id in ids))
    store.promotions.promote(PROD, ADMIN, FROM_STAGING)
    for turn in range(3):
        condition = {"key": "k", "op": "eq", "value": str(turn) + "x" * 60_000}
        edit(store, PROD, *(Patch("policies", (id,), {"conditions": {"resource_attrs": [condition]}}) for id in ids))
        store.promotions.promote(PROD, ADMIN, Wanted(STAGING, accept_drift=True))
    listed, sizes, cursor = 0, list[int](), None
    while not sizes or cursor is not None:
        found, cursor = store.promotions.list(PROD, 1_000, cursor)
        sizes.append(sum(len(msgspec.json.encode(one)) for one in found))
        listed += len(found)
    assert (listed, max(sizes) < MAX_SHOWN_BYTES) == (5, True)


def test_the_audit_log_tells_of_each_promotion(store: Store) -> None:
    change_staging(store)
    done = store.promotions.promote(PROD, ACTOR, Wanted(STAGING, "release 7"))
    entry = store.audit.page(EntryFilter(), None, 1, None)[0][0].entry
    assert (entry.event, entry.actor, entry.environment) == ("model.promoted", ACTOR.name, PROD)
    assert json.loads(msgspec.json.encode(entry.details)) == {
        "promotion": done.id,
        "from": STAGING,
        "from_epoch": 1,
        "from_revision": store.environment(STAGING).revision,
        "digest": done.digest,
        "revision": done.revision,
        "note": "release 7",
        "promoted_by": ACTOR.name,
    }


def test_only_an_admin_restores_where_nothing_but_promotions_changes_policies(store: Store) -> None:
    """It is decided in the transaction that writes, whatever the setting was when the request came."""
    store.change_environment(ACTOR, PROD, EnvironmentChange(promotion_only=True))
    revision = store.environment(PROD).revision
    with pytest.raises(NotPermitted, match="promotion only"):
        store.promotions.restore(PROD, ACTOR, revision, Wanted(PROD), administers=False)
    assert store.environment(PROD).revision == revision
