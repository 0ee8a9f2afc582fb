"""The effects and refusals of a write, element by element: all of it or nothing (design, "Shapes")."""

from typing import Any

import pytest
from writ.api.store.elements.edits import Create, Delete, Patch, Replace
from writ.api.store.errors import Conflict, NotFound, PreconditionFailed, Rejected

from tests.support.stored import ENV, put, stored, write

DOCUMENT = {"id": "document", "actions": ["read", "update"], "attributes": {"status": "string"}}
ALICE = {"type": "user", "id": "alice"}
PLAN = {"type": "document", "id": "plan"}
MODEL: dict[str, Any] = {
    "resource_types": [DOCUMENT, {"id": "folder", "actions": ["read"]}],
    "roles": [{"id": "editor"}, {"id": "viewer"}],
    "groups": [{"id": "eng", "members": [ALICE, {"group": "backend"}]}, {"id": "backend"}],
    "subjects": [ALICE | {"external_id": "idp|1"}],
    "resources": [PLAN | {"external_id": "P-1", "name": "Plan"}],
    "assignments": [{"id": "a", "role": "editor", "group": "eng"}],
    "grants": [{"id": "g", "subject": ALICE, "resource": PLAN, "actions": ["update"]}],
    "policies": [
        {
            "id": "p",
            "effect": "ALLOW",
            "roles": ["editor", "viewer"],
            "resource_types": [
                {"resource_type_id": "document", "actions": ["update"]},
                {"resource_type_id": "folder", "actions": ["read"]},
            ],
            "conditions": {"context_attrs": [{"key": "mfa", "op": "eq", "value": True}]},
        },
        {"id": "q", "effect": "DENY", "resource_types": [{"resource_type_id": "*", "actions": ["read"]}]},
    ],
}
GRANT = {"subject": ALICE, "resource": PLAN, "actions": ["read"]}


@pytest.fixture(autouse=True)
def model(store):
    put(store, MODEL)


def refused(store, kind, *edits):
    """Returns the refusal of a write, which changed nothing."""
    before, revision = stored(store), store.revision_of(ENV)
    with pytest.raises(kind) as raised:
        write(store, *edits)
    assert (stored(store), store.revision_of(ENV)) == (before, revision)
    return raised.value


def faults(store, *edits):
    return [(fault.code, fault.path) for fault in refused(store, Rejected, *edits).faults]


def the(store, kind, *key):
    return store.get(ENV, kind, key).body


def test_what_was_created_is_there_as_it_was_sent(store):
    body = {"id": "new", "priority": 0, "effect": "DENY", "resource_types": MODEL["policies"][1]["resource_types"]}
    done = write(store, Create("policies", body))
    assert done.environment.revision == 2
    assert done.results == (store.get(ENV, "policies", ("new",)),)
    assert list(the(store, "policies", "new").items()) == list(body.items())
    assert stored(store)["policies"][-1] == body


def test_an_id_is_made_where_none_is_brought(store):
    """Made from the content of a grant, with a number if another grant has the same content, random for others (E1)."""
    done = write(store, Create("grants", GRANT), Create("grants", GRANT), Create("roles", {"name": "x"}))
    first, again, role = (result.body["id"] for result in done.results)
    put(store, MODEL | {"grants": [GRANT, GRANT]})
    assert {grant["id"] for grant in stored(store)["grants"]} == {first, again}
    assert len({first, again, role}) == 3


@pytest.mark.parametrize("kind", ["grants", "assignments"])
def test_a_null_id_is_none(store, kind):
    """A body may have the same nulls as a document."""
    body = GRANT if kind == "grants" else {"role": "editor", "subject": {"type": "user", "id": "alice"}}
    (made,) = write(store, Create(kind, body | {"id": None})).results
    assert isinstance(made.body["id"], str)


def test_a_null_id_of_what_needs_one_is_refused(store):
    with pytest.raises(Rejected):
        write(store, Create("roles", {"id": None}))


def test_an_id_exists_once(store):
    assert "`p`" in str(refused(store, Conflict, Create("policies", MODEL["policies"][0])))
    assert "user:alice" in str(refused(store, Conflict, Create("subjects", ALICE)))


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (Create("policies", {"id": "x", "effect": "ALOW"}), ("unknown-value", "$.effect")),
        (Create("grants", GRANT | {"actions": ["raed"]}), ("unknown-action", "$.actions[0]")),
        (Create("grants", GRANT | {"expires_at": "soon"}), ("bad-instant", "$.expires_at")),
        (Create("grants", GRANT | {"starts_at": "soon"}), ("bad-instant", "$.starts_at")),
        (
            Create("grants", GRANT | dict.fromkeys(("starts_at", "expires_at"), "2035-01-01T00:00Z")),
            ("never-in-force", "$.expires_at"),
        ),
        (Create("assignments", {"role": "editer", "subject": ALICE}), ("unknown-role", "$.role")),
        (Create("groups", {"id": "x", "members": [{"group": "y"}]}), ("unknown-group", "$.members[0].group")),
        (Create("subjects", {"type": "user", "id": "b", "nam": 1}), ("unknown-member", "$.nam")),
        (Create("subjects", {"type": "user", "id": "\ud800"}), ("lone-surrogate", "$.id")),
        (
            Create("subjects", {"type": "user", "id": "b", "external_id": "idp|1"}),
            ("duplicate-external-id", "$.external_id"),
        ),
        (Create("resources", PLAN | {"id": "b", "name": "Plan"}), ("duplicate-name", "$.name")),
        (Create("resource_types", {"id": "x", "name": "folder", "actions": []}), ("duplicate-name", "$.name")),
        (Create("resource_types", {"id": "*", "actions": []}), ("reserved-name", "$.id")),
        (Replace("resources", ("document", "plan"), PLAN | {"id": "x"}), ("wrong-key", "$.id")),
        (Patch("policies", ("p",), {"roles": None}), ("roles-lost", "$.roles")),
        (Patch("policies", ("p",), {"roles": []}), ("empty", "$.roles")),
        (Patch("policies", ("p",), [1]), ("wrong-type", "$")),
        (Replace("resource_types", ("document",), {"actions": ["read"]}), ("unknown-action", "$")),
    ],
)
def test_the_diagnostics_of_a_check_with_paths_from_the_element(store, edit, expected):
    assert expected in faults(store, edit)


def test_a_near_name_is_told_of_and_the_edit_at_fault(store):
    good, bad = Create("roles", {"id": "x"}), Create("assignments", {"role": "editro", "subject": ALICE})
    (fault,) = refused(store, Rejected, good, bad).faults
    assert (fault.help, fault.edit) == ("did you mean `editor`?", 1)


def test_all_faults_are_told_at_once_and_none_of_what_is_sound(store):
    bad = {"id": "x", "effect": "ALOW", "resource_types": [{"resource_type_id": "documet", "actions": ["raed"]}]}
    other = Create("roles", {"id": 7})
    uses = Create("policies", bad | {"id": "y", "effect": "DENY", "roles": ["editor"]})
    assert sorted(faults(store, Create("policies", bad), other, uses)) == [
        ("unknown-type", "$.resource_types[0].resource_type_id"),
        ("unknown-type", "$.resource_types[0].resource_type_id"),
        ("unknown-value", "$.effect"),
        ("wrong-type", "$.id"),
    ]


def test_edits_of_one_write_may_refer_to_each_other_in_any_order(store):
    """Cycles of groups too (P3)."""
    write(
        store,
        Create("groups", {"id": "x", "members": [{"group": "y"}]}),
        Create("groups", {"id": "y", "members": [{"group": "x"}]}),
        Create("assignments", {"id": "n", "role": "new", "group": "x"}),
        Create("roles", {"id": "new"}),
    )
    assert store.revision_of(ENV) == 2


def test_a_changed_type_is_checked_with_its_users_and_those_in_the_same_write(store):
    error = refused(store, Rejected, Patch("resource_types", ("document",), {"actions": ["read"]}))
    assert sorted(fault.message.partition(":")[0] for fault in error.faults) == ["the grant `g`", "the policy `p`"]
    fitting = MODEL["policies"][0] | {"resource_types": [{"resource_type_id": "folder", "actions": ["read"]}]}
    write(
        store,
        Patch("resource_types", ("document",), {"actions": ["read"]}),
        Replace("policies", ("p",), fitting),
        Patch("grants", ("g",), {"actions": ["*"]}),
    )
    assert the(store, "resource_types", "document")["actions"] == ["read"]


def test_attributes_that_conditions_read_stay_what_they_are(store):
    condition = {"key": "status", "op": "eq", "value": "draft"}
    scope = [{"resource_type_id": "document", "actions": ["read"]}]
    body = {"id": "c", "effect": "DENY", "resource_types": scope, "conditions": {"resource_attrs": [condition]}}
    write(store, Create("policies", body))
    change = Patch("resource_types", ("document",), {"attributes": {"status": "number"}})
    assert faults(store, change) == [("attribute-type", "$")]


def test_no_patch_opens_a_policy_to_everyone(store):
    """Two patches can't either: without roles, a DENY for everyone would become an ALLOW for everyone."""
    assert faults(store, Patch("policies", ("p",), {"roles": None})) == [("roles-lost", "$.roles")]
    assert faults(store, Patch("policies", ("q",), {"effect": "ALLOW"})) == [("roles-lost", "$.roles")]
    write(store, Patch("policies", ("p",), {"effect": "DENY", "roles": None}))
    assert faults(store, Patch("policies", ("p",), {"effect": "ALLOW"})) == [("roles-lost", "$.roles")]
    write(store, Patch("policies", ("p",), {"effect": "ALLOW", "roles": ["editor"]}))


def test_a_patch_merges(store):
    """RFC 7396: null removes, objects merge, all else replaces. The order of members stays."""
    attributes = {"a": 1, "b": {"c": 2, "d": 3}}
    write(store, Patch("subjects", ("user", "alice"), {"attributes": attributes}))
    write(
        store, Patch("subjects", ("user", "alice"), {"external_id": None, "attributes": {"b": {"c": None, "d": [4]}}})
    )
    assert the(store, "subjects", "user", "alice") == ALICE | {"attributes": {"a": 1, "b": {"d": [4]}}}


def test_a_replaced_element_needs_no_key_in_its_body_and_keeps_its_place(store):
    write(store, Replace("roles", ("editor",), {"name": "Editor"}))
    assert stored(store)["roles"] == [{"id": "editor", "name": "Editor"}, {"id": "viewer"}]


def test_what_is_not_there_is_not_found(store):
    for edit in (Replace("roles", ("x",), {}), Patch("roles", ("x",), {}), Delete("subjects", ("user", "x"))):
        refused(store, NotFound, edit)
    for key in (("\ud800",), ("a", "b"), ()):
        refused(store, NotFound, Delete("roles", key))


def test_only_what_was_seen_is_changed(store):
    seen = store.get(ENV, "roles", ("editor",)).etag
    write(store, Patch("roles", ("editor",), {"name": "E"}, seen))
    for edit in (Patch("roles", ("editor",), {}, seen), Delete("roles", ("editor",), cascade=True, if_match=seen)):
        assert refused(store, PreconditionFailed, edit).edit == 0
    write(store, Create("roles", {"id": "x"}))
    changed = store.get(ENV, "roles", ("editor",)).etag
    assert write(store, Patch("roles", ("editor",), {"name": "E"}, changed)).results[0].etag == changed


def test_what_changes_nothing_is_no_revision(store):
    assert write(store, Replace("roles", ("editor",), {"id": "editor"})).environment.revision == 1
    assert store.revisions(ENV)[0][0].revision == 1


USES = {
    ("resource_types", "document"): {("policies", ("p",)), ("grants", ("g",)), ("resources", ("document", "plan"))},
    ("roles", "editor"): {("policies", ("p",)), ("assignments", ("a",))},
    ("groups", "backend"): {("groups", ("eng",))},
    ("groups", "eng"): {("assignments", ("a",))},
    ("subjects", "user", "alice"): {("groups", ("eng",)), ("grants", ("g",))},
    ("resources", "document", "plan"): {("grants", ("g",))},
}


@pytest.mark.parametrize("used", USES)
def test_what_is_used_stays_and_its_users_are_told(store, used):
    kind, *key = used
    assert set(refused(store, Conflict, Delete(kind, tuple(key))).users) == USES[used]


def test_what_is_used_may_go_together_with_its_users(store):
    write(store, Delete("resources", ("document", "plan")), Delete("grants", ("g",)))
    assert stored(store)["resources"] == stored(store)["grants"] == []


def test_users_that_are_many_are_counted_but_not_all_listed(store):
    write(store, *(Create("grants", GRANT | {"resource": PLAN | {"id": f"r{n}"}}) for n in range(150)))
    error = refused(store, Conflict, Delete("subjects", ("user", "alice")))
    assert len(error.users) == 100
    assert "at least" in str(error)


def test_cascade_takes_along_who_refers_to_a_role(store):
    """A policy that loses one of its roles stays. One that loses its last role is removed, never open to everyone."""
    write(store, Delete("roles", ("editor",), cascade=True))
    assert the(store, "policies", "p")["roles"] == ["viewer"]
    assert stored(store)["assignments"] == []
    write(store, Delete("roles", ("viewer",), cascade=True))
    assert [policy["id"] for policy in stored(store)["policies"]] == ["q"]


def test_cascade_takes_along_who_refers_to_a_type(store):
    write(store, Delete("resource_types", ("document",), cascade=True))
    assert the(store, "policies", "p")["resource_types"] == [{"resource_type_id": "folder", "actions": ["read"]}]
    assert stored(store)["resources"] == stored(store)["grants"] == []


def test_a_type_whose_action_is_meant_by_a_policy_on_all_types_stays(store):
    """Without the type, `read` on `*` is no action of any type (P1)."""
    both = [Delete("resource_types", (id,), cascade=True) for id in ("document", "folder")]
    assert faults(store, *both) == [("unknown-action", "$")]


def test_cascade_takes_along_who_refers_to_a_group_or_an_entity(store):
    write(store, Delete("groups", ("backend",), cascade=True))
    assert the(store, "groups", "eng")["members"] == [ALICE]
    write(store, Delete("subjects", ("user", "alice"), cascade=True), Delete("groups", ("eng",), cascade=True))
    assert {name for name, rows in stored(store).items() if rows} == {
        "resource_types",
        "roles",
        "resources",
        "policies",
    }


def test_a_group_in_itself_can_go(store):
    write(store, Create("groups", {"id": "x", "members": [{"group": "x"}]}))
    write(store, Delete("groups", ("x",)))
    write(store, Create("groups", {"id": "x", "members": [{"group": "x"}]}))
    write(store, Delete("groups", ("x",), cascade=True))
    assert [group["id"] for group in stored(store)["groups"]] == ["eng", "backend"]


def test_the_same_key_may_go_and_come_back_in_one_write(store):
    write(store, Delete("roles", ("editor",)), Create("roles", {"id": "editor", "name": "again"}))
    assert stored(store)["roles"] == [{"id": "viewer"}, {"id": "editor", "name": "again"}]


def test_a_write_has_a_bounded_number_of_edits(store):
    assert faults(store, *[Create("roles", {})] * 1_001) == [("too-many-edits", "$")]


def test_numbers_and_texts_come_back_as_they_were(store):
    attributes = {"big": 2**70, "real": 1.0, "int": 1, "text": "\U0001f600\u0000", "deep": [[{"": -0.5}]]}
    write(store, Create("subjects", {"type": "t\u0000", "id": "i", "attributes": attributes}))
    body = the(store, "subjects", "t\u0000", "i")
    assert body["attributes"] == attributes
    assert type(body["attributes"]["real"]) is float
