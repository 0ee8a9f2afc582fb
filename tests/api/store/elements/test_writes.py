"""The effects and refusals of a write, element by element: all of it or nothing (design, "Shapes")."""

from typing import Any

import pytest
from writ.api.store.elements.edits import Create, CreateAt, Delete, Patch, Put, Replace
from writ.api.store.elements.equal_facts import ALIKE, GRANTS_ALIKE
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
    """Made from the content of a grant, random for others (E1)."""
    done = write(store, Create("grants", GRANT), Create("roles", {"name": "x"}))
    first, role = (result.body["id"] for result in done.results)
    put(store, MODEL | {"grants": [GRANT]})
    assert [grant["id"] for grant in stored(store)["grants"]] == [first]
    assert first != role


TO_GROUP = {name: value for name, value in GRANT.items() if name != "subject"} | {"group": "eng"}
DATED = GRANT | {"expires_at": "2035-01-01T00:00:00Z"}


@pytest.mark.parametrize(
    ("first", "again"),
    [
        (GRANT, GRANT),
        (GRANT | {"id": "g1"}, GRANT),
        (GRANT | {"id": "g1"}, GRANT | {"id": "g2"}),
        (GRANT | {"id": "g1"}, GRANT | {"id": "g1", "actions": GRANT["actions"] * 2}),
        (DATED, DATED | {"id": "g2", "expires_at": "2035-01-01T01:00:00+01:00"}),
        (TO_GROUP, TO_GROUP | {"id": "g2"}),
    ],
)
def test_an_equal_grant_is_the_existing_one(store, first, again):
    """P8: to withdraw one of two equal grants would leave the access."""
    (made,) = write(store, Create("grants", first)).results
    revision = store.revision_of(ENV)
    done = write(store, Create("grants", again))
    assert (done.results, done.added, store.revision_of(ENV)) == ((made,), frozenset(), revision)


def test_a_write_that_would_make_two_grants_equal_is_refused(store):
    write(store, Create("grants", GRANT | {"id": "g1"}), Create("grants", DATED | {"id": "g2"}))
    for edit in (
        Patch("grants", ("g2",), {"expires_at": None}),
        Replace("grants", ("g2",), GRANT),
        Put("grants", ("g3",), GRANT),
    ):
        assert str(refused(store, Conflict, edit)) == (
            "`grant read on document plan to user alice as g1` is equal to this grant"
        )
    assert "exists already" in str(
        refused(store, Conflict, Create("grants", DATED | {"id": "g1", "starts_at": "2034-01-01T00:00:00Z"}))
    )
    write(store, Create("grants", GRANT | {"id": "all", "actions": ["*"]}))


@pytest.mark.parametrize(
    ("held", "found"),
    [
        (("user", "a"), ("grants_of_subject", "grants_on_resource")),
        (("eng",), ("grants_of_group", "grants_on_resource")),
    ],
)
@pytest.mark.of_file
def test_equal_grants_are_found_by_an_index(store, held, found):
    query = GRANTS_ALIKE["subject" if len(held) > 1 else "group"]
    with store._connections.reading() as db:
        plan = [row[-1] for row in db.execute(f"EXPLAIN QUERY PLAN {query}", (1, *held, "document", "d"))]
    assert any(index in step for step in plan for index in found), plan


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


CONDITION = [{"key": "mfa", "op": "eq", "value": True}]
WINDOW = {"days": ["mon"], "start": "09:00"}


@pytest.mark.parametrize(
    ("conditions", "patch"),
    [
        ({"context_attrs": CONDITION}, {"conditions": None}),
        ({"context_attrs": CONDITION}, {"conditions": {"context_attrs": None}}),
        ({"context_attrs": CONDITION}, {"conditions": {"context_attrs": []}}),
        ({"context_attrs": CONDITION}, {"conditions": {"context_attrs": None, "resource_attrs": []}}),
        ({"resource_attrs": CONDITION}, {"conditions": {"resource_attrs": None}, "priority": 7}),
        ({"subject_attrs": CONDITION}, {"conditions": {"subject_attrs": []}, "enabled": False}),
        ({"action_attrs": CONDITION}, {"conditions": None, "effect": "ALLOW"}),
        ({"time_window": WINDOW}, {"conditions": {"time_window": None}}),
        ({"ip_allowlist": ["10.0.0.0/8"]}, {"conditions": {"ip_allowlist": None}}),
        ({"rate_limit": {"limit": 1, "window_seconds": 1}}, {"conditions": {"rate_limit": None}}),
        (
            {"context_attrs": CONDITION, "time_window": WINDOW},
            {"conditions": {"context_attrs": [], "time_window": None}},
        ),
    ],
)
def test_no_patch_takes_the_last_condition_from_an_allow_without_roles(store, conditions, patch):
    """Design, "Shapes": it would apply to everyone (P2). With a role in the same patch, it would not."""
    body = {"id": "c", "effect": "ALLOW", "resource_types": MODEL["policies"][1]["resource_types"]}
    write(store, Create("policies", body | {"conditions": conditions}))
    assert faults(store, Patch("policies", ("c",), patch)) == [("conditions-lost", "$.conditions")]
    one_left = {"conditions": {**(patch["conditions"] or dict.fromkeys(conditions)), "context_attrs": CONDITION}}
    write(store, Patch("policies", ("c",), one_left))
    assert faults(store, Patch("policies", ("c",), {"conditions": None})) == [("conditions-lost", "$.conditions")]
    write(store, Patch("policies", ("c",), {"conditions": None, "roles": ["editor"]}))
    assert faults(store, Patch("policies", ("c",), {"roles": None})) == [("roles-lost", "$.roles")]


def test_a_policy_that_is_open_already_may_be_patched(store):
    """Whoever opened it did so by a whole policy. To enable it is no patch of whom it applies to."""
    scope = MODEL["policies"][1]["resource_types"]
    write(store, Create("policies", {"id": "open", "effect": "ALLOW", "enabled": False, "resource_types": scope}))
    write(store, Patch("policies", ("open",), {"enabled": True}))
    write(store, Patch("policies", ("open",), {"conditions": {"resource_attrs": []}}))
    write(store, Patch("policies", ("open",), {"conditions": None, "name": "Open"}))
    write(store, Patch("policies", ("q",), {"conditions": None, "priority": 3}))
    assert the(store, "policies", "q")["effect"] == "DENY"


def test_an_equal_assignment_is_the_existing_one(store):
    """Equal in role, holder and dates, however an instant is written. Nothing is written, so there is no revision."""
    dated = {"role": "viewer", "subject": ALICE, "expires_at": "2035-01-01T00:00:00Z"}
    (first,) = write(store, Create("assignments", {"id": "dated"} | dated)).results
    for body in (
        dated,
        {"expires_at": "2035-01-01T01:00:00+01:00", "subject": ALICE, "role": "viewer", "id": None},
        {"id": "dated"} | dated,
        {"id": "other"} | dated,
    ):
        again = write(store, Create("assignments", body))
        assert (again.results, again.added, again.environment.revision) == ((first,), frozenset(), 2), body
    (group,) = write(store, Create("assignments", {"role": "editor", "group": "eng"})).results
    assert group.body == MODEL["assignments"][0]


@pytest.mark.parametrize(
    "other",
    [
        {"role": "editor"},
        {"subject": {"type": "user", "id": "bob"}},
        {"subject": {"type": "robot", "id": "alice"}},
        {"expires_at": "2035-01-01T00:00:01Z"},
        {"expires_at": None},
        {"subject": None, "group": "eng"},
    ],
)
def test_an_assignment_that_differs_is_another_one(store, other):
    body = {"id": "dated", "role": "viewer", "subject": ALICE, "expires_at": "2035-01-01T00:00:00Z"}
    write(store, Create("assignments", body))
    wanted = {name: value for name, value in (body | {"id": None} | other).items() if value is not None}
    done = write(store, Create("assignments", wanted))
    assert (done.added, done.environment.revision) == ({0}, 3)
    assert done.results[0].body["id"] != "dated"
    write(store, Delete("assignments", (done.results[0].body["id"],)))
    refused(store, Conflict, Create("assignments", {"id": "dated"} | wanted))


def test_a_write_that_would_make_two_assignments_equal_is_refused(store):
    """P9: to withdraw one of them would leave the role."""
    body = {"role": "viewer", "subject": ALICE}
    write(store, Create("assignments", body | {"id": "one"}))
    write(store, Create("assignments", body | {"id": "two", "expires_at": "2035-01-01T00:00:00Z"}))
    for edit in (
        Patch("assignments", ("two",), {"expires_at": None}),
        Replace("assignments", ("two",), body),
        Put("assignments", ("three",), body),
    ):
        assert str(refused(store, Conflict, edit)).endswith("is equal to this assignment")


def test_an_equal_assignment_with_a_fault_is_refused(store):
    """A null is a fault where `writ check` finds one, and an instant that can't be read equals none."""
    body = {"role": "editor", "group": "eng"}
    assert ("wrong-type", "$.subject") in faults(store, Create("assignments", body | {"subject": None}))
    refused(store, Conflict, Create("assignments", body | {"id": "a", "subject": None}))
    assert ("bad-instant", "$.expires_at") in faults(store, Create("assignments", body | {"expires_at": "soon"}))


def test_equal_assignments_of_one_write_are_one(store):
    body = {"role": "viewer", "group": "backend"}
    done = write(store, Create("assignments", body), Create("assignments", body), Create("roles", {"id": "x"}))
    assert done.results[0] == done.results[1]
    assert done.added == {0, 2}


@pytest.mark.of_file
def test_an_equal_assignment_is_found_by_an_index(store):
    with store._connections.reading() as db:
        plan = [row[-1] for row in db.execute(f"EXPLAIN QUERY PLAN {ALIKE['group']}", (1, "editor", "eng"))]
    searched = "environment=? AND role=? AND subject_type=? AND subject_id=? AND group_id=?"
    assert plan[0] == f"SEARCH assignments USING INDEX assignments_of_role ({searched})"


def test_an_element_is_created_at_its_key_if_there_is_none(store):
    done = write(store, CreateAt("roles", ("new",), {"name": "New"}), CreateAt("subjects", ("robot", "r2"), {}))
    assert [result.body for result in done.results] == [{"id": "new", "name": "New"}, {"type": "robot", "id": "r2"}]
    assert done.added == {0, 1}
    refused(store, PreconditionFailed, CreateAt("roles", ("new",), {"name": "Newer"}))
    refused(store, PreconditionFailed, CreateAt("assignments", ("a",), MODEL["assignments"][0]))
    assert faults(store, CreateAt("roles", ("x",), {"id": "y"})) == [("wrong-key", "$.id")]
    assert ("too-long", "$.id") in faults(store, CreateAt("roles", ("x" * 513,), {}))
    assert ("lone-surrogate", "$.id") in faults(store, CreateAt("roles", ("\ud800",), {}))


def test_a_write_tells_the_warnings_that_need_no_other_element(store):
    """A DENY that overlaps an ALLOW has warnings too, but these are about both."""
    scope = MODEL["policies"][1]["resource_types"]
    empty = {"conditions": {"resource_attrs": [{"key": "size", "op": "in", "value": []}]}}
    open_allow = {"id": "open", "effect": "ALLOW", "resource_types": scope}
    done = write(store, Create("roles", {"id": "x"}), Create("policies", open_allow), Patch("policies", ("q",), empty))
    assert [(one.code, one.path, one.edit) for one in done.warnings] == [
        ("allow-everyone", "$.effect", 1),
        ("empty-list", "$.conditions.resource_attrs[0].value", 2),
    ]
    same = write(store, Replace("policies", ("open",), open_allow))
    assert ([one.code for one in same.warnings], same.environment.revision) == (["allow-everyone"], 2)
    assert write(store, Patch("policies", ("open",), {"enabled": False})).warnings == ()
    assert write(store, Delete("policies", ("open",))).warnings == ()


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
    assert {user[:2] for user in refused(store, Conflict, Delete(kind, tuple(key))).users} == USES[used]


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


def test_a_group_with_a_grant_stays_or_takes_the_grant_along(store):
    """P7: a grant refers to its group."""
    write(store, Create("groups", {"id": "team"}), Create("grants", TO_GROUP | {"id": "shared", "group": "team"}))
    (user,) = refused(store, Conflict, Delete("groups", ("team",))).users
    assert user == ("grants", ("shared",), "grant read on document plan to group team as shared")
    write(store, Delete("groups", ("team",), cascade=True))
    assert "shared" not in {grant["id"] for grant in stored(store)["grants"]}


def test_a_grant_has_one_holder(store):
    """P7: exactly one of a subject and a declared group."""
    both, none = GRANT | {"group": "eng"}, {name: value for name, value in GRANT.items() if name != "subject"}
    assert faults(store, Create("grants", both)) == faults(store, Create("grants", none)) == [("either-or", "$")]
    assert faults(store, Create("grants", TO_GROUP | {"group": "enk"})) == [("unknown-group", "$.group")]
    (made,) = write(store, Create("grants", TO_GROUP)).results
    key = (made.body["id"],)
    later = {"starts_at": "2034-01-01T00:00:00Z"}
    assert faults(store, Patch("grants", key, {"subject": ALICE})) == [("either-or", "$")]
    assert write(store, Patch("grants", key, {"subject": ALICE, "group": None, **later})).results


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
