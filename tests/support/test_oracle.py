"""The oracle against examples worked by hand from the rules: entities, who a policy applies to, the decision."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings

from tests.support.oracle import decide, explain
from tests.support.strategies import cases, seeded_case

NOW = 1704067200.0  # 2024-01-01T00:00:00Z
ALICE = {"type": "user", "id": "alice"}
PLAN = {"type": "document", "id": "d1"}
REGISTERED = [{"type": "document", "id": "d1", "external_id": "X", "name": "Plan"}]


def ask(**members: Any) -> dict[str, Any]:
    """Alice reads d1, unless `members` say otherwise."""
    return {"subject": ALICE, "action": {"name": "read"}, "resource": PLAN} | members


def policy(id_: str = "p", effect: str = "ALLOW", actions: tuple[str, ...] = ("read",), **more: Any) -> dict:
    """A policy on documents, everyone's unless `more` says otherwise."""
    entry = {"resource_type_id": "document", "actions": list(actions)}
    return {"id": id_, "effect": effect, "resource_types": [entry]} | more


def model(*policies: dict[str, Any], closed: bool = False, **more: Any) -> dict[str, Any]:
    """A model with one type `document` that has the actions read and write."""
    type_ = {"id": "document", "actions": ["read", "write"], "closed": closed}
    return {"model": 1, "resource_types": [type_], "policies": list(policies)} | more


def grant(id_: str = "g", **more: Any) -> dict[str, Any]:
    """Alice may read d1."""
    return {"id": id_, "subject": ALICE, "resource": PLAN, "actions": ["read"]} | more


def when(key: str, value: Any, section: str = "resource_attrs", op: str = "eq") -> dict[str, Any]:
    """The conditions of a policy that tests one attribute."""
    return {"conditions": {section: [{"key": key, "op": op, "value": value}]}}


def code(document: dict[str, Any], request: dict[str, Any] | None = None, now: float = NOW) -> str:
    """The reason code of the decision."""
    return decide(document, request or ask(), now)["reason_code"]


def path(document: dict[str, Any], request: dict[str, Any] | None = None, now: float = NOW) -> str:
    """The access path of the decision."""
    return decide(document, request or ask(), now)["access_path"]


UNMET = when("x", 1)


@pytest.mark.parametrize(
    ("policies", "expected"),
    [
        ([policy("a"), policy("d", "DENY")], "DENY_OVERRIDE"),
        ([policy("d", "DENY")], "EXPLICIT_DENY"),
        ([policy("a", **UNMET), policy("d", "DENY")], "EXPLICIT_DENY"),
        ([policy("a"), policy("b", **UNMET)], "ALLOWED"),
        ([policy("a", **UNMET), policy("d", "DENY", **UNMET)], "CONDITION_FAILED"),
        ([policy("a", **UNMET), policy("b", actions=("write",))], "CONDITION_FAILED"),
        ([policy("a", actions=("write",), **UNMET)], "ACTION_NOT_PERMITTED"),
        ([policy("d", "DENY", actions=("write",))], "NO_POLICY_MATCH"),
        ([policy("d", "DENY", **UNMET)], "NO_POLICY_MATCH"),
        ([policy("a", enabled=False), policy("b", actions=("write",), enabled=False)], "NO_POLICY_MATCH"),
        ([], "NO_POLICY_MATCH"),
    ],
)
def test_d1_to_d6_the_first_outcome_that_fits(policies: list[dict[str, Any]], expected: str) -> None:
    """D1-D6, P5."""
    assert code(model(*policies)) == expected


def test_d5_a_live_grant_for_another_action_counts_and_an_expired_one_does_not() -> None:
    """D5, P4."""
    live, gone = grant(actions=["write"]), grant(actions=["write"], expires_at="2024-01-01T00:00:00Z")
    assert code(model(grants=[live])) == "ACTION_NOT_PERMITTED"
    assert code(model(grants=[gone])) == "NO_POLICY_MATCH"


def test_d5_a_grant_on_another_resource_or_for_another_subject_does_not_count() -> None:
    """D5."""
    elsewhere = grant(actions=["write"], resource={"type": "document", "id": "d2"})
    another = grant(actions=["write"], subject={"type": "service", "id": "alice"})
    assert code(model(grants=[elsewhere, another])) == "NO_POLICY_MATCH"


def test_d5_an_undeclared_action_is_not_permitted_where_a_declared_one_is() -> None:
    """D5, P1."""
    assert code(model(policy(actions=("*",))), ask(action={"name": "*"})) == "ACTION_NOT_PERMITTED"


def test_d7_a_deny_of_lower_priority_wins() -> None:
    """D7."""
    assert code(model(policy("a", priority=9), policy("d", "DENY", priority=-9))) == "DENY_OVERRIDE"


@pytest.mark.parametrize(
    ("policies", "grants", "expected"),
    [
        ([policy("a", priority=9)], [grant("z"), grant("y")], ("y", "direct")),
        ([policy("a"), policy("b", priority=1)], [], ("b", "abac")),
        ([policy("a"), policy("b", roles=["g"]), policy("c", roles=["r"])], [], ("c", "role")),
        ([policy("a"), policy("b", roles=["g"])], [], ("b", "group")),
        ([policy("b"), policy("a"), policy("B")], [], ("B", "abac")),
        ([policy("\U0001f600"), policy("\uffff")], [], ("\uffff", "abac")),
        ([policy("a", priority=9, **UNMET), policy("b")], [], ("b", "abac")),
    ],
)
def test_d8_which_grant_or_allow_is_reported(policies: Any, grants: Any, expected: tuple[str, str]) -> None:
    """D8: a direct grant, the priority, the path, the id by code point, among those that hold."""
    assigned = [{"role": "r", "subject": ALICE}, {"role": "g", "group": "eng"}]
    more = {"grants": grants, "assignments": assigned, "groups": [{"id": "eng", "members": [ALICE]}]}
    answer = decide(model(*policies, **more), ask(), NOW)
    assert (answer["policy_id"], answer["access_path"]) == expected


def test_d8_which_deny_is_reported() -> None:
    """D8: the highest priority, then the smallest id, whatever the path; no policy_id on a denial."""
    denies = [policy("b", "DENY", priority=1), policy("a", "DENY", priority=1), policy("A", "DENY")]
    expected = {"decision": False, "reason_code": "EXPLICIT_DENY", "access_path": "none", "denied_by": "a"}
    assert decide(model(*denies), ask(), NOW) == expected


def test_d10_every_candidate_is_explained_with_each_condition() -> None:
    """D10, C10: a rate limit without counters fails; what does not apply is no candidate."""
    conditions = {"resource_attrs": [{"key": "x", "op": "eq", "value": 1}], "ip_allowlist": ["::/0"]}
    limited = policy(
        "l", conditions={"rate_limit": {"limit": 1, "window_seconds": 1}, "time_window": {"days": ["mon"]}}
    )
    document = model(policy("d", "DENY", conditions=conditions), limited, policy("q", enabled=False), grants=[grant()])
    request = ask(resource=PLAN | {"properties": {"x": 1}}, context={"ip": "?"})
    assert sorted(explain(document, request, NOW)) == [
        (
            "d",
            "policy",
            "DENY",
            "abac",
            True,
            [("resource_attrs", "x", "eq", True), ("ip_allowlist", None, None, True)],
        ),
        ("g", "grant", "ALLOW", "direct", True, []),
        ("l", "policy", "ALLOW", "abac", False, [("time_window", None, None, True), ("rate_limit", None, None, False)]),
    ]


@pytest.mark.parametrize(
    ("resource", "found"),
    [
        ({"id": "d1"}, True),
        ({"external_id": "X"}, True),
        ({"name": "Plan", "id": None, "external_id": ""}, True),
        ({"external_id": "Plan"}, False),
        ({"name": "d1"}, False),
    ],
)
def test_e2_e3_an_alias_resolves_to_the_registered_entity(resource: dict[str, Any], found: bool) -> None:
    """E2, E3: to its grants, and to its id."""
    request = ask(resource={"type": "document"} | resource)
    assert code(model(grants=[grant()], resources=REGISTERED), request) == ("ALLOWED" if found else "NO_POLICY_MATCH")
    condition = when("id", "d1")
    assert code(model(policy(**condition), resources=REGISTERED), request) == (
        "ALLOWED" if found else "CONDITION_FAILED"
    )


def test_e3_an_unknown_subject_still_has_the_policies_on_the_type() -> None:
    """E3."""
    assert path(model(policy()), ask(subject={"type": "user", "external_id": "nobody"})) == "abac"


def test_e3_a_subject_by_alias_holds_its_roles() -> None:
    """E3, P2."""
    document = model(
        policy(roles=["r"]),
        assignments=[{"role": "r", "subject": ALICE}],
        subjects=[ALICE | {"external_id": "idp|1"}],
    )
    assert path(document, ask(subject={"type": "user", "external_id": "idp|1"})) == "role"
    assert path(document, ask(subject={"type": "service", "external_id": "idp|1"})) == "none"


def test_e4_properties_win_with_a_null_too() -> None:
    """E4, C2."""
    document = model(policy(**when("x", 1)))
    sent = {"attributes": {"x": 1}, "properties": {"x": None}}
    assert code(document, ask(resource=PLAN | sent)) == "CONDITION_FAILED"
    assert code(document, ask(resource=PLAN | {"attributes": {"x": 2}, "properties": {"x": 1}})) == "ALLOWED"
    assert code(document, ask(resource=PLAN | {"attributes": {"x": 1}, "properties": None})) == "ALLOWED"


def test_e4_an_action_has_properties_only() -> None:
    """E4."""
    document = model(policy(**when("x", 1, "action_attrs")))
    assert code(document, ask(action={"name": "read", "properties": {"x": 1}})) == "ALLOWED"
    assert code(document, ask(action={"name": "read", "attributes": {"x": 1}})) == "CONDITION_FAILED"


def test_e5_registered_attributes_are_not_read() -> None:
    """E5."""
    registered = [PLAN | {"attributes": {"x": 1}}]
    assert code(model(policy(**when("x", 1)), resources=registered)) == "CONDITION_FAILED"


@pytest.mark.parametrize(
    ("section", "key", "value", "holds"),
    [
        ("resource_attrs", "id", "d1", True),
        ("resource_attrs", "id", "sent", False),
        ("subject_attrs", "type", "user", True),
        ("subject_attrs", "id.x", 1, True),
        ("action_attrs", "id", "sent", True),
        ("context_attrs", "id", "sent", True),
    ],
)
def test_e6_id_and_type_are_the_entity_s_own(section: str, key: str, value: Any, holds: bool) -> None:
    """E6: as whole keys, of resources and subjects only."""
    sent, nested = {"properties": {"id": "sent"}}, {"properties": {"id": {"x": 1}}}
    request = ask(resource=PLAN | sent, subject=ALICE | nested, action={"name": "read"} | sent, context={"id": "sent"})
    assert code(model(policy(**when(key, value, section))), request) == ("ALLOWED" if holds else "CONDITION_FAILED")


def test_e6_the_type_reads_as_the_request_names_it() -> None:
    """E6, E7."""
    document = model(policy(**when("type", "Document")))
    document["resource_types"][0]["name"] = "Document"
    assert code(document, ask(resource={"type": "Document", "id": "d1"})) == "ALLOWED"


def test_e7_a_closed_type_knows_registered_instances_only() -> None:
    """E7, E3: listed, or named by a grant to anyone."""
    other = grant(subject={"type": "user", "id": "bob"})
    assert code(model(policy(), policy("d", "DENY"), closed=True)) == "NO_POLICY_MATCH"
    assert code(model(policy(), closed=True, resources=REGISTERED)) == "ALLOWED"
    assert code(model(policy(), closed=True, grants=[other])) == "ALLOWED"
    assert code(model(policy(), closed=True), ask(resource={"type": "document", "name": "Plan"})) == "NO_POLICY_MATCH"


def test_e7_a_type_is_asked_for_by_its_name() -> None:
    """E7: two types may bear each other's id as name."""
    types = [{"id": "a", "name": "b", "actions": ["read"]}, {"id": "b", "name": "a", "actions": ["read"]}]
    only_a = {"id": "p", "effect": "ALLOW", "resource_types": [{"resource_type_id": "a", "actions": ["*"]}]}
    document = {"model": 1, "resource_types": types, "policies": [only_a]}
    assert code(document, ask(resource={"type": "b", "id": "1"})) == "ALLOWED"
    assert code(document, ask(resource={"type": "a", "id": "1"})) == "NO_POLICY_MATCH"
    assert code(document, ask(resource={"type": "*", "id": "1"})) == "NO_POLICY_MATCH"


def test_p1_a_wildcard_type_covers_an_action_where_it_is_declared() -> None:
    """P1."""
    anywhere = {"id": "p", "effect": "ALLOW", "resource_types": [{"resource_type_id": "*", "actions": ["write"]}]}
    document = model(anywhere)
    document["resource_types"].append({"id": "log", "actions": ["read"]})
    assert code(document, ask(action={"name": "write"})) == "ALLOWED"
    log = {"type": "log", "id": "1"}
    assert code(document, ask(action={"name": "write"}, resource=log)) == "NO_POLICY_MATCH"


def test_p2_role_when_both() -> None:
    """P2."""
    groups = [{"id": "eng", "members": [ALICE]}]
    assigned = [{"role": "r", "group": "eng"}, {"role": "r", "subject": ALICE}]
    assert path(model(policy(roles=["r"]), groups=groups, assignments=assigned)) == "role"
    assert path(model(policy(roles=["r"]), groups=groups, assignments=assigned[:1])) == "group"
    assert path(model(policy(roles=["s"]), groups=groups, assignments=assigned)) == "none"


def test_p3_membership_is_transitive_through_cycles() -> None:
    """P3: a member of the inner group is one of the outer group, never the other way."""
    inner = {"id": "inner", "members": [ALICE, {"group": "inner"}]}
    middle = {"id": "middle", "members": [{"group": "inner"}, {"group": "outer"}]}
    outer = {"id": "outer", "members": [{"group": "middle"}]}
    assigned = [{"role": "r", "group": "outer"}]
    document = model(policy(roles=["r"]), groups=[outer, middle, inner], assignments=assigned)
    assert path(document) == "group"
    outer["members"].append({"type": "user", "id": "bob"})
    document["assignments"] = [{"role": "r", "group": "inner"}]
    assert path(document, ask(subject={"type": "user", "id": "bob"})) == "none"


@pytest.mark.parametrize(("now", "live"), [(NOW - 1, True), (NOW - 0.001, True), (NOW, False), (NOW + 1, False)])
def test_p4_at_the_instant_itself_it_has_expired(now: float, live: bool) -> None:
    """P4: by the service's clock, never by `context.time`."""
    end = {"expires_at": "2024-01-01T01:00:00+01:00"}
    request = ask(context={"time": 0})
    assigned = [{"role": "r", "subject": ALICE} | end]
    assert path(model(grants=[grant(**end)]), request, now) == ("direct" if live else "none")
    assert path(model(policy(roles=["r"]), assignments=assigned), request, now) == ("role" if live else "none")


@settings(deadline=None)
@given(cases())
def test_the_oracle_answers_every_hostile_case(case: tuple[Any, Any, float]) -> None:
    """C7: never an error; and the decision agrees with its own explanation (D1-D3, D10)."""
    answer, found = decide(*case), explain(*case)
    holding = {effect for _, _, effect, _, _, holds, _ in found if holds}
    assert answer["decision"] is (holding == {"ALLOW"})
    assert ("policy_id" in answer) is answer["decision"]
    assert ("denied_by" in answer) is ("DENY" in holding)


def test_the_cases_reach_every_outcome() -> None:
    """D1-D6, D8: every reason code and every access path occurs, and none is rare."""
    answers = [decide(*seeded_case(seed)) for seed in range(400)]
    codes = Counter(answer["reason_code"] for answer in answers)
    paths = Counter(answer["access_path"] for answer in answers)
    assert codes.keys() == {
        "ALLOWED",
        "NO_POLICY_MATCH",
        "DENY_OVERRIDE",
        "EXPLICIT_DENY",
        "CONDITION_FAILED",
        "ACTION_NOT_PERMITTED",
    }
    assert paths.keys() == {"direct", "role", "group", "abac", "none"}
    assert min(codes.values()) >= 10
    assert min(paths.values()) >= 3
