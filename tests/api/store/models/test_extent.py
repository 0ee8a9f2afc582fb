"""Replacements that leave a part of the stored model: facts that the documents lack, or all but the policies."""

import pytest
from writ.api.store.errors import Conflict
from writ.api.store.models.extent import Extent

from tests.support.stored import ACTOR, ENV, put, source, stored

ALICE = {"type": "user", "id": "alice"}
D1 = {"type": "document", "id": "d1"}
TYPE = {"id": "document", "actions": ["read", "update"]}
MODEL = {
    "resource_types": [TYPE],
    "roles": [{"id": "r"}],
    "groups": [{"id": "g", "members": []}],
    "resources": [D1],
    "assignments": [{"id": "a1", "role": "r", "group": "g"}, {"id": "a2", "role": "r", "subject": ALICE}],
    "grants": [
        {"id": "g1", "subject": ALICE, "resource": D1, "actions": ["read"]},
        {"id": "g2", "subject": ALICE, "resource": {"type": "document", "id": "d2"}, "actions": ["update"]},
    ],
}


def replaced(store, extent, document, dry_run=False):
    return store.put_model(ENV, ACTOR, [source(document)], dry_run, extent=extent)


def test_facts_that_the_documents_lack_stay(store):
    put(store, MODEL)
    changed = {"id": "g1", "subject": ALICE, "resource": D1, "actions": ["update"]}
    less = MODEL | {"assignments": [], "grants": [changed], "resources": []}
    for dry in (True, False):
        done = replaced(store, Extent.KEEP_FACTS, less, dry)
        assert done.changes == {
            "resources": {"added": 0, "changed": 0, "removed": 1},
            "grants": {"added": 0, "changed": 1, "removed": 0},
        }
        assert done.kept == {"assignments": 2, "grants": 1}
        assert [one.key for one in done.kept_listed] == [("a1",), ("a2",), ("g2",)]
        assert done.kept_listed[0].text == "assign r to group g as a1"
    assert stored(store)["grants"] == [changed, MODEL["grants"][1]]
    assert stored(store)["assignments"] == MODEL["assignments"]
    assert replaced(store, Extent.KEEP_FACTS, less).changes == {}


@pytest.mark.parametrize("extent", [Extent.KEEP_FACTS, Extent.POLICIES])
@pytest.mark.parametrize(
    ("change", "said", "users"),
    [
        ({"roles": []}, "`roles/r`, which `assign r to ", ["a1", "a2"]),
        (
            {"resource_types": []},
            "`resource_types/document`, which `grant read on document d1 to user alice as g1`",
            ["g1", "g2"],
        ),
        (
            {"resource_types": [TYPE | {"actions": ["read"]}]},
            "`resource_types/document/update`, which `grant update on document d2 to user alice as g2`",
            ["g2"],
        ),
    ],
)
def test_what_stays_never_dangles(store, extent, change, said, users):
    put(store, MODEL)
    document = MODEL | {"assignments": [], "grants": [], "resources": []} | change
    for dry in (True, False):
        with pytest.raises(Conflict, match=said) as caught:
            replaced(store, extent, document, dry)
        assert sorted(key[0] for kind, key, _ in caught.value.users if kind != "resources") == users
    assert store.revision_of(ENV) == 1


def test_a_group_of_a_grant_that_stays_never_goes(store):
    """P7: a grant refers to its group, as an assignment does."""
    grant = {"id": "team", "group": "team", "resource": {"type": "document", "id": "d9"}, "actions": ["read"]}
    groups = [*MODEL["groups"], {"id": "team", "members": []}]
    put(store, MODEL | {"groups": groups, "grants": [*MODEL["grants"], grant]})
    with pytest.raises(Conflict, match="`groups/team`, which `grant read on document d9 to group team as team`"):
        replaced(store, Extent.KEEP_FACTS, MODEL)


def test_a_group_of_an_assignment_that_stays_never_goes(store):
    put(store, MODEL)
    with pytest.raises(Conflict, match="`groups/g`, which `assign r to group g as a1`"):
        replaced(store, Extent.KEEP_FACTS, MODEL | {"groups": [], "assignments": []})
    moved = [{"id": "a1", "role": "r", "subject": ALICE}]
    assert replaced(store, Extent.KEEP_FACTS, MODEL | {"groups": [], "assignments": moved}).revision == 2


def test_an_equal_fact_of_the_documents_takes_the_place_of_the_stored_one(store):
    """P8: else there would be two, and to withdraw one of them would leave the access."""
    put(store, MODEL)
    other = MODEL["grants"][0] | {"id": "mine"}
    done = replaced(store, Extent.KEEP_FACTS, MODEL | {"grants": [other]})
    assert (done.changes, done.kept) == ({"grants": {"added": 1, "changed": 0, "removed": 1}}, {"grants": 1})
    assert [one["id"] for one in stored(store)["grants"]] == ["g2", "mine"]


def test_policies_only_leaves_every_other_list(store):
    put(store, MODEL)
    policies = {"roles": [{"id": "r"}, {"id": "s"}], "resource_types": [TYPE], "subjects": [ALICE], "lints": []}
    for dry in (True, False):
        done = replaced(store, Extent.POLICIES, policies, dry)
        assert (done.changes, done.kept) == ({"roles": {"added": 1, "changed": 0, "removed": 0}}, {})
    assert stored(store) == MODEL | {"roles": policies["roles"], "lints": []}
    assert [*stored(store)] == [*MODEL, "lints"]
