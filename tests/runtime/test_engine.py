"""The engine: what it caches, what it copies, what it refuses."""

import threading

import pytest
from writ.bundles.file.fact_records import LISTED_GRANTS
from writ.bundles.file.reader import open_bundle
from writ.runtime import BadRequest, Engine
from writ.runtime.limits import CacheLimits

from tests.support.bundling import bundle_file, engine_for
from tests.support.values import deep

READ = [{"resource_type_id": "document", "actions": ["read"]}]
TYPES = [{"id": "document", "name": "Document", "actions": ["read", "write"]}]


def question(subject="alice", action="read", resource="d1", **more):
    return {
        "subject": {"type": "user", "id": subject},
        "action": {"name": action},
        "resource": {"type": "Document", "id": resource},
        **more,
    }


def policy(id="p", effect="ALLOW", **more):
    return {"id": id, "effect": effect, "resource_types": READ, **more}


def engine_of(tmp_path, **document):
    return engine_for({"resource_types": TYPES} | document, tmp_path / "model.bundle")


def test_a_response_belongs_to_its_caller(tmp_path):
    engine = engine_of(tmp_path, policies=[policy()])
    first = engine.decide(question())
    first["context"]["reason_code"] = "DENIED"
    first["decision"] = False
    assert engine.decide(question())["context"]["reason_code"] == "ALLOWED"


def test_many_requests_in_order_a_bad_one_is_its_own_item(tmp_path):
    """W4."""
    engine = engine_of(tmp_path, policies=[policy()])
    answers = engine.decide_many([question(), {}, question(action="write")])
    assert [answer["decision"] for answer in answers] == [True, False, False]
    assert answers[1]["context"] == {"error": {"status": 400, "message": "`subject` is missing (at $.subject)"}}


@pytest.mark.parametrize("place", range(5))
@pytest.mark.parametrize("bad", ["", None, 7])
def test_allowed_refuses_names_that_are_none(tmp_path, place, bad):
    alice = {"type": "user", "id": "alice"}
    engine = engine_of(tmp_path, subjects=[alice], policies=[policy()])
    names = ["user", "alice", "read", "Document", "d1"]
    for _ in range(2):
        assert engine.allowed(*names)
    names[place] = bad
    with pytest.raises(BadRequest):
        engine.allowed(*names)


def test_an_expiry_is_judged_by_the_services_clock(tmp_path):
    """P4: at the instant itself it has expired, and `context.time` has no say, nor has the past."""
    engine = engine_of(
        tmp_path,
        roles=[{"id": "reader"}],
        assignments=[
            {"role": "reader", "subject": {"type": "user", "id": "alice"}, "expires_at": "1970-01-01T00:01:40Z"}
        ],
        policies=[policy(roles=["reader"])],
    )
    asked = question(context={"time": 0})
    assert [engine.decide(asked, now)["decision"] for now in (99.9, 100.0, 99.9, 100.1, 0)] == [
        True,
        False,
        True,
        False,
        True,
    ]


SPANS = [(10, 20), (20, 30), (40, None), (45, 50)]
"""Of several assignments or grants to one subject. Their union is 10 to 30, and from 40 on."""


def stated(seconds: int | None) -> str:
    return f"1970-01-01T00:00:{seconds}Z"


def spans(row: dict) -> list[dict]:
    """The row once for each span."""
    return [row | {"starts_at": stated(start)} | ({"expires_at": stated(end)} if end else {}) for start, end in SPANS]


@pytest.mark.parametrize("holder", ["subject", "group", "grant"])
def test_a_subject_has_access_in_the_union_of_its_spans(holder, tmp_path):
    """P4: from each start on, until the end, whichever instant is asked for first."""
    alice = {"type": "user", "id": "alice"}
    if holder == "grant":
        facts = {"grants": spans({"subject": alice, "resource": {"type": "document", "id": "d1"}, "actions": ["read"]})}
    else:
        held_by = {"subject": alice} if holder == "subject" else {"group": "eng"}
        facts = {"assignments": spans({"role": "reader"} | held_by), "policies": [policy(roles=["reader"])]}
    facts["groups"] = [{"id": "eng", "members": [alice]}]
    engine = engine_of(tmp_path, roles=[{"id": "reader"}], **facts)
    moments = [0.0, *(edge + beside for edge in (10, 20, 30, 40, 45, 50) for beside in (-1e-6, 0.0, 1e-6))]
    for now in (*moments, *reversed(moments)):
        expected = 10 <= now < 30 or now >= 40
        assert engine.decide(question(), now)["decision"] is expected, now
        assert engine.allowed("user", "alice", "read", "Document", "d1", now=now) is expected
        explained = engine.decide(question(options={"explain": True}), now)["context"]["explanation"]
        assert bool(explained["candidates"]) is expected  # D10
        assert (not explained["lacking"]) is (expected or holder == "grant")


def test_a_role_may_rest_on_a_group_before_the_subject_has_it_itself(tmp_path):
    """P2: the path is that of what is in force."""
    alice = {"type": "user", "id": "alice"}
    engine = engine_of(
        tmp_path,
        roles=[{"id": "reader"}],
        groups=[{"id": "eng", "members": [alice]}],
        assignments=[
            {"role": "reader", "group": "eng", "expires_at": stated(20)},
            {"role": "reader", "subject": alice, "starts_at": stated(10), "expires_at": stated(30)},
        ],
        policies=[policy(roles=["reader"])],
    )
    paths = [engine.decide(question(), now)["context"]["access_path"] for now in (9.9, 10.0, 20.0, 30.0)]
    assert paths == ["group", "role", "role", "none"]


def test_nine_hundred_levels_of_json_are_only_a_value(tmp_path):
    """C7: no recursion goes deeper than the constant."""
    conditions = {
        "resource_attrs": [
            {"key": "a", "op": "eq", "value": [[1]]},
            {"key": "a.b", "op": "in", "value": [{"b": 1}]},
            {"key": "a", "op": "regex", "value": "x"},
        ]
    }
    engine = engine_of(tmp_path, policies=[policy(conditions=conditions)])
    for value in (deep(900, "list"), deep(900, "dict")):
        asked = question()
        asked["resource"]["properties"] = {"a": value}
        assert engine.decide(asked)["context"]["reason_code"] == "CONDITION_FAILED"


def test_what_callers_invent_is_not_cached(tmp_path):
    """Unknown subjects, types and actions would fill any memory, and push out what is worth it."""
    engine = engine_of(tmp_path, policies=[policy()])
    for number in range(50):
        engine.decide(question(subject=f"s{number}"))
        engine.decide(question(action=f"a{number}"))
        asked = question()
        asked["resource"]["type"] = f"t{number}"
        engine.decide(asked)
    snapshot = engine._snapshot
    assert snapshot.holders == {}
    assert {type: list(rules.specialised) for type, rules in snapshot.rules.types.items()} == {"Document": ["read"]}


@pytest.mark.parametrize("expires_at", [None, "2100-01-01T00:00:00Z"])
def test_caches_are_bounded(tmp_path, expires_at):
    expiry = {"expires_at": expires_at} if expires_at else {}
    document = {
        "resource_types": [{"id": f"t{n}", "actions": ["read"]} for n in range(9)],
        "roles": [{"id": f"r{n}"} for n in range(9)],
        "assignments": [
            {"role": f"r{n % kinds}", "subject": {"type": "user", "id": f"u{kinds}-{n}"}} | expiry
            for kinds in (1, 9)
            for n in range(9)
        ],
        "policies": [policy(resource_types=[{"resource_type_id": "*", "actions": ["*"]}])],
    }
    bundle = open_bundle(bundle_file(document, tmp_path / "model.bundle"))
    engine = Engine(bundle, limits=CacheLimits(specialisations=3, subjects=3, role_sets=3))
    for kinds in (1, 9):
        for number in range(9):
            assert engine.allowed("user", f"u{kinds}-{number}", "read", f"t{number}", "x")
            snapshot = engine._snapshot
            assert sum(map(len, snapshot.holders.values())) <= 3
            assert len(snapshot.rules._role_sets) <= 3
            assert (
                sum(len(by_roles) for rules in snapshot.rules.types.values() for by_roles in rules.specialised.values())
                <= 3
            )


def cached_for_anyone(engine):
    rules = engine._snapshot.rules
    return rules.cached(rules.no_roles, "Document", "read")


def test_threads_share_an_engine(tmp_path):
    policies = [policy(f"p{n}", roles=[f"r{n}"]) for n in range(20)]
    engine = engine_of(
        tmp_path,
        roles=[{"id": f"r{n}"} for n in range(20)],
        assignments=[{"role": f"r{n}", "subject": {"type": "user", "id": f"u{n}"}} for n in range(0, 20, 2)],
        policies=policies,
    )
    wrong = []

    def ask() -> None:
        for _ in range(30):
            for number in range(20):
                if engine.allowed("user", f"u{number}", "read", "Document", "d") is not (number % 2 == 0):
                    wrong.append(number)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_the_path_of_a_role_held_both_ways_is_role(tmp_path):
    """P2."""
    alice = {"type": "user", "id": "alice"}
    engine = engine_of(
        tmp_path,
        roles=[{"id": "r"}],
        groups=[{"id": "g", "members": [alice]}],
        assignments=[{"role": "r", "group": "g"}, {"role": "r", "subject": alice}],
        policies=[policy(roles=["r"])],
    )
    assert engine.decide(question())["context"]["access_path"] == "role"


@pytest.mark.parametrize(
    ("policies", "reported"),
    [
        ([policy("a", priority=1), policy("b", priority=2)], "b"),
        ([policy("b"), policy("a")], "a"),
        ([policy("a"), policy("b", roles=["r"])], "b"),
        ([policy("Z"), policy("a")], "Z"),
    ],
)
def test_which_one_is_reported(tmp_path, policies, reported):
    """D8: the highest priority, then the path, then the smallest id by code point."""
    engine = engine_of(
        tmp_path,
        roles=[{"id": "r"}],
        assignments=[{"role": "r", "subject": {"type": "user", "id": "alice"}}],
        policies=policies,
    )
    assert engine.decide(question())["context"]["policy_id"] == reported


def test_a_deny_beats_a_higher_priority(tmp_path):
    """D7, D1."""
    engine = engine_of(tmp_path, policies=[policy("a", priority=9), policy("d", "DENY", priority=1)])
    context = engine.decide(question())["context"]
    assert (context["reason_code"], context["denied_by"]) == ("DENY_OVERRIDE", "d")


def test_a_rate_limit_without_counters_is_false(tmp_path):
    """C10."""
    engine = engine_of(tmp_path, policies=[policy(conditions={"rate_limit": {"limit": 5, "window_seconds": 60}})])
    assert engine.decide(question())["context"]["reason_code"] == "CONDITION_FAILED"


def test_an_explanation_names_what_was_not_sent(tmp_path):
    """D10."""
    conditions = {"resource_attrs": [{"key": "a", "op": "gt", "value": 1}], "ip_allowlist": ["10.0.0.0/8"]}
    engine = engine_of(tmp_path, policies=[policy(conditions=conditions)])
    asked = question(context={"ip": "10.1.1.1"}, options={"explain": True})
    explanation = engine.decide(asked)["context"]["explanation"]
    assert explanation.pop("why_not") == engine.why_not(asked)
    assert engine.decide_many([asked])[0]["context"]["explanation"] == explanation
    assert explanation == {
        "candidates": [
            {
                "id": "p",
                "kind": "policy",
                "effect": "ALLOW",
                "path": "abac",
                "holds": False,
                "conditions": [
                    {
                        "section": "resource_attrs",
                        "key": "a",
                        "op": "gt",
                        "value": 1,
                        "missing": True,
                        "holds": False,
                    },
                    {
                        "section": "ip_allowlist",
                        "key": "ip",
                        "op": "in",
                        "value": ["10.0.0.0/8"],
                        "actual": "10.1.1.1",
                        "holds": True,
                    },
                ],
            }
        ],
        "lacking": [],
    }


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("x" * 1_022, {"actual": "x" * 1_022}),
        ("x" * 9_999, {"actual": '"' + "x" * 1_023, "actual_cut": True}),
        (["y" * 2_000], {"actual": '["' + "y" * 1_022, "actual_cut": True}),
        (10**5_000, {"actual": "", "actual_cut": True}),
        (deep(100_000, "list"), {"actual": "[" * 100, "actual_cut": True}),
        (deep(90, "list"), {"actual": deep(90, "list")}),
        ({"a": ["b", 1], "c": None}, {"actual": {"a": ["b", 1], "c": None}}),
        (1.5, {"actual": 1.5}),
    ],
    ids=["short", "long", "in a list", "digits", "too deep", "deep", "object", "number"],
)
def test_an_explanation_cuts_long_values(tmp_path, value, shown):
    """D10: a batch must not turn one large attribute into a thousand copies of it."""
    conditions = {"resource_attrs": [{"key": "a", "op": "eq", "value": "z"}]}
    engine = engine_of(tmp_path, policies=[policy(conditions=conditions)])
    asked = question(options={"explain": True})
    asked["resource"]["properties"] = {"a": value}
    proof = engine.decide(asked)["context"]["explanation"]
    ((condition,),) = [candidate["conditions"] for candidate in proof["candidates"]]
    assert proof.get("truncated", False) is ("actual_cut" in shown)
    head = {"section": "resource_attrs", "key": "a", "op": "eq", "value": "z", "holds": False}
    assert condition == head | shown


@pytest.mark.parametrize("count", [1, LISTED_GRANTS, LISTED_GRANTS + 1, 3 * LISTED_GRANTS])
def test_few_and_many_grants_of_one_subject(tmp_path, count):
    """P4, D5: whether a subject's granted resources are listed with it or looked up, the answers are the same."""
    engine = engine_of(
        tmp_path,
        grants=[
            {
                "id": f"g{number}",
                "subject": {"type": "user", "id": "alice"},
                "resource": {"type": "document", "id": f"d{number}"},
                "actions": ["read"],
                **({"expires_at": "1970-01-01T00:00:00Z"} if number == 0 else {}),
            }
            for number in range(count)
        ],
    )
    for number in range(count + 3):
        granted = 0 < number < count
        for _ in range(2):
            asked = question(resource=f"d{number}")
            assert engine.decide(asked)["decision"] is granted
            assert engine.allowed("user", "alice", "read", "Document", f"d{number}") is granted
            code = engine.decide(question(action="write", resource=f"d{number}"))["context"]["reason_code"]
            assert code == ("ACTION_NOT_PERMITTED" if granted else "NO_POLICY_MATCH")


@pytest.mark.parametrize("now", [float("nan"), float("inf")])
def test_an_instant_that_is_none_is_refused(tmp_path, now):
    """By NaN every assignment would have expired, also the one through which a DENY applies."""
    engine = engine_of(
        tmp_path,
        roles=[{"id": "barred"}],
        assignments=[{"role": "barred", "subject": {"type": "user", "id": "alice"}, "expires_at": "2100-01-01T00:00Z"}],
        policies=[policy(), policy("d", "DENY", priority=9, roles=["barred"])],
    )
    for _ in range(2):
        for ask in (
            lambda: engine.decide(question(), now),
            lambda: engine.decide_many([question()], now),
            lambda: engine.allowed("user", "alice", "read", "Document", "d1", now=now),
        ):
            with pytest.raises(ValueError, match="`now` is no instant"):
                ask()
        assert engine.decide(question(), 0)["context"]["reason_code"] == "DENY_OVERRIDE"


def test_an_explanation_belongs_to_its_caller(tmp_path):
    """What a caller does to an answer must not reach the constants of the program."""
    conditions = {"resource_attrs": [{"key": "a", "op": "eq", "value": [{"b": "secret"}]}]}
    engine = engine_of(tmp_path, policies=[policy(conditions=conditions)])
    asked = question(options={"explain": True})
    (candidate,) = engine.decide(asked)["context"]["explanation"]["candidates"]
    candidate["conditions"][0]["value"][0]["b"] = "mine"
    asked["resource"]["properties"] = {"a": [{"b": "mine"}]}
    assert engine.decide(asked)["decision"] is False


def test_emptying_the_cache_of_subjects_keeps_the_specialised_programs(tmp_path):
    """Many subjects share few sets of roles; what is specialised for these is dear."""
    document = {
        "resource_types": TYPES,
        "subjects": [{"type": "user", "id": f"u{n}"} for n in range(9)],
        "policies": [policy()],
    }
    bundle = open_bundle(bundle_file(document, tmp_path / "model.bundle"))
    engine = Engine(bundle, limits=CacheLimits(subjects=2))
    engine.allowed("user", "u0", "read", "Document", "d1")
    specialised = cached_for_anyone(engine)
    for number in range(9):
        engine.allowed("user", f"u{number}", "read", "Document", "d1")
    assert cached_for_anyone(engine) is specialised


def test_a_pinned_engine_stays_at_its_revision(tmp_path):
    """A batch that is decided in slices has one model from its first item to its last."""
    engine = engine_of(tmp_path, policies=[policy()])
    pinned = engine.pinned()
    other = {"resource_types": TYPES, "policies": [policy(effect="DENY")]}
    engine.replace(open_bundle(bundle_file(other, tmp_path / "other.bundle")))
    assert (engine.decide(question())["decision"], pinned.decide(question())["decision"]) == (False, True)


def test_an_explanation_tells_the_clock_that_stood_in_for_a_time(tmp_path):
    """D10, C8."""
    conditions = {"time_window": {"not_before": "1970-01-01T00:00Z"}, "ip_allowlist": ["10.0.0.0/8"]}
    engine = engine_of(tmp_path, policies=[policy(conditions=conditions)])
    (candidate,) = engine.decide(question(options={"explain": True}), 1.5)["context"]["explanation"]["candidates"]
    window, address = candidate["conditions"]
    assert (window["missing"], window["clock"], window["holds"]) == (True, "1970-01-01T00:00:01.5Z", True)
    assert (address["key"], address["missing"], address["holds"]) == ("ip", True, False)


def test_a_grant_of_everything_on_a_type_without_actions_grants_nothing(tmp_path):
    """P1, P4, D6."""
    engine = engine_of(
        tmp_path,
        resource_types=[{"id": "document", "name": "Document", "actions": []}],
        grants=[
            {
                "id": "g",
                "subject": {"type": "user", "id": "alice"},
                "resource": {"type": "document", "id": "d1"},
                "actions": ["*"],
            }
        ],
    )
    assert engine.decide(question())["context"]["reason_code"] == "NO_POLICY_MATCH"
