"""The prose of explanations: golden texts of real answers, one for each form of a proof (D10)."""

from typing import Any

import pytest
from writ.api.review.wording.condition_prose import condition_sentence
from writ.api.review.wording.prose import explained, question
from writ.runtime import Engine, RateCounters

from tests.support.bundling import bundle_file

MONDAY_10 = 1767607200.0  # 2026-01-05T10:00:00Z
SCOPE = {"resource_types": [{"resource_type_id": "document", "actions": ["read"]}]}
MODEL: dict[str, Any] = {
    "resource_types": [
        {"id": "document", "actions": ["read", "update"]},
        {"id": "safe", "actions": ["open"], "closed": True},
    ],
    "roles": [{"id": "editor"}, {"id": "admin"}, {"id": "owner"}],
    "groups": [{"id": "eng", "members": [{"type": "user", "id": "bob"}]}],
    "assignments": [
        {"role": "editor", "subject": {"type": "user", "id": "alice"}},
        {"role": "editor", "group": "eng"},
    ],
}


def policy(effect: str = "ALLOW", roles: list[str] | None = None, **conditions: Any) -> dict[str, Any]:
    one: dict[str, Any] = {"id": "p", "effect": effect, **SCOPE, "conditions": conditions}
    return one | ({"roles": roles} if roles else {})


def resource(key: str, op: str, value: Any) -> dict[str, Any]:
    return {"resource_attrs": [{"key": key, "op": op, "value": value}]}


def request(subject: str = "carol", properties: Any = None, context: Any = None, **more: Any) -> dict[str, Any]:
    return {
        "subject": {"type": "user", "id": subject},
        "action": {"name": "read"},
        "resource": {"type": "document", "id": "d1", "properties": properties},
        "context": context,
        **more,
    }


def lines(tmp_path, policies, asked, times=1, **model) -> list[str]:
    path = bundle_file(MODEL | {"policies": policies} | model, tmp_path / "m.bundle")
    engine = Engine.open(path, counters=RateCounters())
    for _ in range(times):
        answer = engine.decide(asked | {"options": {"explain": True}}, MONDAY_10)
    answer["context"]["explanation"].pop("why_not", None)  # its words have their own tests
    return list(explained(answer))


OFFICE = {"days": ["mon", "tue", "wed", "fri"], "start": "09:00", "end": "17:00", "timezone": "Europe/Oslo"}
CONDITIONS = [
    (resource("s", "eq", "draft"), {"s": "draft"}, None, 'The `s` of the resource is "draft", as required.'),
    (
        resource("s", "eq", "draft"),
        {"s": "final"},
        None,
        'The `s` of the resource is "final", but the policy requires it to be "draft".',
    ),
    (
        resource("s", "eq", "draft"),
        {},
        None,
        'The request sends no `s` of the resource, and the policy requires it to be "draft".',
    ),
    (resource("n", "ne", 3), {"n": 4}, None, "The `n` of the resource is 4, which differs from 3."),
    (
        resource("n", "gt", 3),
        {"n": 3},
        None,
        "The `n` of the resource is 3, but the policy requires it to be greater than 3.",
    ),
    (resource("n", "gte", 3), {"n": 3}, None, "The `n` of the resource is 3, which is at least 3."),
    (resource("n", "lt", 3), {"n": 2.5}, None, "The `n` of the resource is 2.5, which is less than 3."),
    (
        resource("n", "lte", 3),
        {"n": True},
        None,
        "The `n` of the resource is true, but the policy requires it to be at most 3.",
    ),
    (
        resource("r", "in", ["eu", "us"]),
        {"r": "us"},
        None,
        'The `r` of the resource is "us", which is one of "eu" or "us".',
    ),
    (
        resource("r", "nin", [*range(1, 13)]),
        {"r": 4},
        None,
        (
            "The `r` of the resource is 4, but the policy requires it to be none of "
            "1, 2, 3, 4, 5, 6, 7, 8, 9, 10 or 2 more."
        ),
    ),
    (resource("p", "regex", "^/a"), {"p": "/ab"}, None, 'The `p` of the resource is "/ab", which matches "^/a".'),
    (resource("id", "eq", "d2"), {}, None, 'The `id` of the resource is "d1", but the policy requires it to be "d2".'),
    (
        {"context_attrs": [{"key": "mfa", "op": "eq", "value": True}]},
        {},
        {"mfa": None},
        "The request sends no `mfa` of the context, and the policy requires it to be true.",
    ),
    (
        {"subject_attrs": [{"key": "d.e", "op": "eq", "value": "x"}]},
        {},
        None,
        'The request sends no `d.e` of the subject, and the policy requires it to be "x".',
    ),
    (
        {"action_attrs": [{"key": "soft", "op": "eq", "value": True}]},
        {},
        None,
        "The request sends no `soft` of the action, and the policy requires it to be true.",
    ),
    (
        {"time_window": OFFICE},
        {},
        None,
        (
            "The service's clock shows 2026-01-05T10:00:00Z, within: "
            "on Monday to Wednesday and Friday from 09:00 to 17:00 (Europe/Oslo)."
        ),
    ),
    (
        {"time_window": {"not_after": "2026-01-01T00:00:00Z"}},
        {},
        {"time": "2026-02-01T00:00:00Z"},
        'The time is "2026-02-01T00:00:00Z", but the policy requires a time before 2026-01-01T00:00:00Z.',
    ),
    (
        {"time_window": {"start": "22:00", "end": "06:00"}},
        {},
        {"time": "soon"},
        (
            'The time is "soon", which can\'t be read as a time every day from 22:00 to 06:00 of the next day (UTC), '
            "so the condition does not hold."
        ),
    ),
    (
        {"ip_allowlist": ["10.0.0.0/8"]},
        {},
        {"ip": "10.1.2.3"},
        'The address in `ip` of the context is "10.1.2.3", within "10.0.0.0/8".',
    ),
    (
        {"ip_allowlist": ["10.0.0.0/8", "192.168.0.0/16"]},
        {},
        {"ip_address": "1.2.3.4"},
        (
            'The address in `ip_address` of the context is "1.2.3.4", but the policy requires one in '
            '"10.0.0.0/8" or "192.168.0.0/16".'
        ),
    ),
    (
        {"ip_allowlist": ["10.0.0.0/8"]},
        {},
        None,
        'The request sends no `ip` of the context, and the policy requires an address in "10.0.0.0/8".',
    ),
    (
        {"rate_limit": {"limit": 5, "window_seconds": 60}},
        {},
        None,
        "This is evaluation 1, and the rate limit is 5 evaluations in 60 seconds.",
    ),
]


@pytest.mark.parametrize(("conditions", "properties", "context", "sentence"), CONDITIONS)
def test_a_condition(tmp_path, conditions, properties, context, sentence):
    assert (
        lines(tmp_path, [policy(**conditions)], request(properties=properties, context=context))[2] == f"  - {sentence}"
    )


REFERENCES = [
    ("ALLOW", "owner", "eq", "subject.id", "carol", 'is "carol", which is the `id` of the subject.'),
    (
        "ALLOW",
        "owner",
        "eq",
        "subject.id",
        "eve",
        'is "eve", but the policy requires it to be the `id` of the subject ("carol").',
    ),
    (
        "DENY",
        "tenant",
        "ne",
        "subject.tenant",
        "a",
        'is "a", but the `tenant` of the subject is missing, so the DENY holds.',
    ),
    (
        "ALLOW",
        "tenant",
        "eq",
        "subject.tenant",
        "a",
        'is "a", but the `tenant` of the subject is missing, so the condition does not hold.',
    ),
    (
        "ALLOW",
        "team",
        "in",
        "subject.level",
        "a",
        'is "a", but the `level` of the subject is 3, which does not fit, so the condition does not hold.',
    ),
    (
        "ALLOW",
        "team",
        "in",
        "subject.groups",
        "a",
        'is "a", but the policy requires it to be one of the groups of the subject (no values).',
    ),
    (
        "ALLOW",
        "team",
        "in",
        "subject.teams",
        "a",
        'is "a", which is one of the `teams` of the subject ("a" or "b").',
    ),
]


@pytest.mark.parametrize(("effect", "key", "op", "value_of", "value", "words"), REFERENCES)
def test_a_comparison_with_a_value_of_the_request(tmp_path, effect, key, op, value_of, value, words):
    conditions = {"resource_attrs": [{"key": key, "op": op, "value_of": value_of}]}
    subject = {"type": "user", "id": "carol", "properties": {"level": 3, "teams": ["a", "b"]}}
    asked = request(properties={key: value}) | {"subject": subject}
    found = lines(tmp_path, [policy(effect, **conditions)], asked, extensions=["references"])
    assert found[-1] == f"  - The `{key}` of the resource {words}"


@pytest.mark.parametrize("section", ["context_attrs", "resource_attrs"])
def test_a_deny_that_lacks_what_the_model_requires_holds(tmp_path, section):
    """C12: the sentence does not say that the policy requires what it denies."""
    mfa = {"context": {"mfa": {"kind": "boolean", "required": True}}}
    own = {"context_attrs": [{"key": "mfa", "op": "eq", "value": False}]}
    referred = {"resource_attrs": [{"key": "mfa", "op": "ne", "value_of": "context.mfa"}]}
    conditions = own if section == "context_attrs" else referred
    found = lines(tmp_path, [policy("DENY", **conditions)], request(), attributes=mfa, extensions=["references"])
    assert found[0].startswith("Denied (EXPLICIT_DENY)")
    gone = {
        "context_attrs": "no `mfa` of the context, which",
        "resource_attrs": "no `mfa` of the resource, and the `mfa` of the context is missing, which",
    }
    assert found[-1] == f"  - The request sends {gone[section]} the model requires, so the DENY holds."


@pytest.mark.parametrize(("effect", "follows"), [("ALLOW", "the condition does not hold"), ("DENY", "the DENY holds")])
def test_a_value_of_a_gateway_that_can_not_be_read(effect, follows):
    """C11."""
    condition = {"section": "resource_attrs", "key": "size", "op": "gt", "value": 3, "actual": "many"}
    said = condition_sentence(condition | {"unreadable": True, "holds": effect == "DENY"}, effect, True)
    assert said == (
        f'The `size` of the resource is "many", which can\'t be read as the type that it must have, so {follows}.'
    )


def test_garbage_in_the_context_switches_no_deny_off(tmp_path):
    """C7."""
    found = lines(tmp_path, [policy("DENY", ip_allowlist=["10.0.0.0/8"])], request(context={"ip": "x"}))
    assert found == [
        "Denied (EXPLICIT_DENY): policy `p` denies it.",
        "Policy `p` denies it. It applies without a role.",
        (
            '  - The address in `ip` of the context is "x", which can\'t be read as an address in "10.0.0.0/8", '
            "so the DENY holds as if it were."
        ),
    ]


def test_the_role_and_the_group_that_count(tmp_path):
    by_role = lines(tmp_path, [policy(roles=["editor"])], request("alice"))
    assert by_role[1:] == ["Policy `p` allows it. The subject holds its role `editor`."]
    by_group = lines(tmp_path, [policy(roles=["editor"])], request("bob"))
    assert by_group[1:] == ["Policy `p` allows it. The subject holds its role `editor` through the group `eng`."]


def test_a_role_that_the_subject_lacks(tmp_path):
    assert lines(tmp_path, [policy(roles=["admin", "owner"])], request()) == [
        "Denied (NO_POLICY_MATCH): no policy and no grant applies to this subject, resource and action.",
        "Policy `p` is for the role `admin` or `owner`, which the subject does not hold.",
    ]


def test_a_deny_overrides_a_grant(tmp_path):
    grant = {
        "id": "g",
        "subject": {"type": "user", "id": "carol"},
        "resource": {"type": "document", "id": "d1"},
        "actions": ["read"],
    }
    found = lines(tmp_path, [policy("DENY", **resource("s", "eq", 1))], request(properties={"s": 1}), grants=[grant])
    assert found == [
        "Denied (DENY_OVERRIDE): policy `p` denies it, which overrides what allows it.",
        "Grant `g` allows it directly.",
        "Policy `p` denies it. It applies without a role.",
        "  - The `s` of the resource is 1, as required.",
    ]


def test_a_grant_to_a_group_names_the_group(tmp_path):
    grant = {"id": "g", "group": "team", "resource": {"type": "document", "id": "d1"}, "actions": ["read"]}
    groups = [*MODEL["groups"], {"id": "team", "members": [request()["subject"]]}]
    found = lines(tmp_path, [], request(), grants=[grant], groups=groups)
    assert found[1:] == ["Grant `g` to the group `team` allows it directly."]


def test_a_grant_with_a_made_id_is_not_named_by_it(tmp_path):
    """The question says which resource and subject it is for."""
    grant = {"group": "team", "resource": {"type": "document", "id": "d1"}, "actions": ["read"]}
    groups = [*MODEL["groups"], {"id": "team", "members": [request()["subject"]]}]
    found = lines(tmp_path, [], request(), grants=[grant], groups=groups)
    assert found == ["Allowed (ALLOWED): a direct grant allows it.", "A direct grant to the group `team` allows it."]


def test_a_deny_that_does_not_hold(tmp_path):
    found = lines(tmp_path, [policy("DENY", **resource("s", "eq", 1))], request())
    assert found[1] == ("Policy `p` would deny it, but not all of its conditions hold. It applies without a role.")


def test_an_action_and_a_type_that_are_not_declared(tmp_path):
    fly = lines(tmp_path, [policy()], request(action={"name": "fly"}))
    assert fly == ["Denied (ACTION_NOT_PERMITTED): the resource type does not declare the action."]
    moon = lines(tmp_path, [policy()], request(resource={"type": "moon", "id": "1"}))
    assert moon == ["Denied (NO_POLICY_MATCH): the model declares no resource type with this name."]


def test_a_rate_limit_that_is_reached_and_one_that_is_not_asked(tmp_path):
    limit = {"limit": 1, "window_seconds": 60}
    found = lines(tmp_path, [policy(rate_limit=limit)], request(), times=2)
    assert found[0].startswith("Denied (CONDITION_FAILED): the rate limit of policy `p` is reached")
    assert found[1] == "Ask again in 64 seconds."
    assert found[3] == "  - This is evaluation 2, and the rate limit is 1 evaluation in 60 seconds, so it is reached."
    not_asked = lines(tmp_path, [policy(**resource("s", "eq", 1), rate_limit=limit)], request())
    assert "because another condition does not hold" in not_asked[3]


def test_a_cut_value_and_a_cut_proof(tmp_path, monkeypatch):
    from writ.runtime.decisions import proof

    monkeypatch.setattr(proof, "MOST_CANDIDATES", 1)
    policies = [policy(**resource("s", "eq", "x")) | {"id": name} for name in ("p", "q")]
    found = lines(tmp_path, policies, request(properties={"s": "y" * 5_000}))
    assert found[2].startswith('  - The `s` of the resource is "yyy')
    assert "y…, but the policy" in found[2]
    assert found[-1] == "There is more than this: the proof was cut at a limit."


def test_an_answer_without_a_proof():
    answer = {"decision": True, "context": {"reason": "policy `p` allows it", "reason_code": "ALLOWED"}}
    assert list(explained(answer)) == ["Allowed (ALLOWED): policy `p` allows it."]


def test_the_question():
    assert question(request("bob")) == "May user `bob` do `read` on document `d1`?"
    by_name = {"type": "document", "external_id": "", "name": "Plan\n2"}
    assert question(request("bob") | {"resource": by_name}).endswith("on document `Plan\\n2`?")
