"""The sentence of a policy has all of it, and two policies of another meaning never have the same sentence."""

import json
from typing import Any

import msgspec
import pytest
from writ.api.review.wording.plain_values import MOST_LISTED, OWNERS
from writ.api.review.wording.policy_sentence import policy_sentence
from writ.api.review.wording.referred_words import referred
from writ.bundles.conditions.windows import show_window
from writ.bundles.zones import zone_names
from writ.compiler.load import load
from writ.compiler.model.elements import Conditions, Policy
from writ.compiler.model.normal_form import canonical_json, normalised
from writ.compiler.model.parse_window import parse_window
from writ.compiler.source import Source

from tests.support.strategies import document
from tests.support.strategies_pick import Pick
from tests.support.writ_texts import CORPUS, load_writ

DOCUMENT = {"resource_types": [{"resource_type_id": "document", "actions": ["read", "update"]}]}
ALLOW = {"id": "p", "effect": "ALLOW", "roles": ["editor"]} | DOCUMENT
DENY = {"id": "p", "effect": "DENY"} | DOCUMENT
START = "Allows everyone with the role `editor` to do `read` and `update` on any `document`"
DENIED = "Denies `read` and `update` on any `document` to everyone"


def policy_of(body: dict[str, Any]) -> Policy:
    return msgspec.convert(body, Policy)


def sentence(body: dict[str, Any], **conditions: Any) -> str:
    return policy_sentence(policy_of(body | ({"conditions": conditions} if conditions else {})))


def when(op: str, value: Any, key: str = "status", section: str = "resource_attrs") -> dict[str, Any]:
    return {section: [{"key": key, "op": op, "value": value}]}


def corpus() -> list[Policy]:
    found = []
    for text in CORPUS.values():
        model = load_writ(text).model
        assert model is not None
        found += model.policies
    return found


def random_policies() -> list[Policy]:
    found = []
    for seed in range(240):
        source = Source("m.json", json.dumps(document(Pick.seeded(seed))).encode())
        model = load([source], zone_names()).model
        found += model.policies if model is not None else ()
    return found


@pytest.mark.parametrize(
    ("conditions", "words"),
    [
        (when("eq", "draft"), 'the `status` of the resource is "draft"'),
        (when("eq", True), "the `status` of the resource is true"),
        (when("eq", "true"), 'the `status` of the resource is "true"'),
        (when("ne", "draft"), 'the `status` of the resource has a value other than "draft"'),
        (when("gt", 5), "the `status` of the resource is greater than 5"),
        (when("gte", 5.5), "the `status` of the resource is at least 5.5"),
        (when("lt", 5), "the `status` of the resource is less than 5"),
        (when("lte", 5), "the `status` of the resource is at most 5"),
        (when("gt", "m"), 'the `status` of the resource is a text that sorts after "m"'),
        (when("lte", "m"), 'the `status` of the resource is the text "m" or sorts before it'),
        (when("in", ["a", 1]), 'the `status` of the resource is one of "a" or 1'),
        (when("in", ["a"]), 'the `status` of the resource is one of "a"'),
        (when("in", []), "the `status` of the resource is one of no values, which never holds"),
        (when("nin", ["a", "b", "c"]), 'the `status` of the resource has a value that is none of "a", "b" or "c"'),
        (when("nin", []), "the `status` of the resource is present"),
        (when("regex", r"^\d"), r'the `status` of the resource is a text with a match of the pattern "^\\d"'),
        (when("eq", 1, "id", "subject_attrs"), "the `id` of the subject is 1"),
        (when("eq", 1, "a.b", "action_attrs"), "the `a.b` of the action is 1"),
        (when("eq", True, "mfa", "context_attrs"), "the `mfa` of the context is true"),
        ({"time_window": {"days": ["sat"], "end": "12:00"}}, "the time is on Saturday from 00:00 to 12:00 (UTC)"),
        ({"ip_allowlist": ["10.0.0.0/8"]}, "the IP address in the context is within 10.0.0.0/8"),
        ({"ip_allowlist": ["::1", "10.0.0.1"]}, "the IP address in the context is within one of ::1 or 10.0.0.1"),
    ],
)
def test_each_condition_has_its_words(conditions: dict[str, Any], words: str) -> None:
    """A comparison with a missing attribute is false, so `ne` and `nin` say that there is a value (C2, C5)."""
    assert sentence(ALLOW, **conditions) == f"{START}, if {words}."


def test_all_conditions_are_joined_and_a_rate_limit_follows() -> None:
    both = when("eq", 1, "a") | when("eq", 2, "b", "context_attrs")
    rate = {"rate_limit": {"limit": 1, "window_seconds": 7_200}}
    required = "the `a` of the resource is 1, and the `b` of the context is 2"
    assert sentence(ALLOW, **both, **rate) == f"{START}, if {required}, up to 1 time in 2 hours for each subject."
    assert sentence(ALLOW, **rate) == f"{START}, up to 1 time in 2 hours for each subject."


def test_a_deny_says_that_what_is_unreadable_holds() -> None:
    """Garbage in the context switches no DENY off (C7)."""
    assert sentence(DENY) == f"{DENIED}."
    window, address = {"time_window": {"not_after": "2030-01-01T00:00:00Z"}}, {"ip_allowlist": ["10.0.0.1"]}
    assert sentence(DENY, **window) == (
        f"{DENIED}, if the time is before 2030-01-01T00:00:00Z (or is sent and can't be read)."
    )
    assert sentence(DENY, **address).endswith("within 10.0.0.1 (or is sent and can't be read).")


def test_a_reference_names_the_value_of_the_request() -> None:
    """A DENY with a value that can't be read holds if the attribute has any value (X2). Groups can always be read."""
    owner = {"resource_attrs": [{"key": "owner", "op": "eq", "value_of": "subject.id"}]}
    assert sentence(ALLOW, **owner) == f"{START}, if the `owner` of the resource is the `id` of the subject."
    tenant = {"resource_attrs": [{"key": "tenant", "op": "ne", "value_of": "subject.tenant"}]}
    assert sentence(DENY, **tenant) == (
        f"{DENIED}, if the `tenant` of the resource has a value other than the `tenant` of the subject"
        " (or has any value, if the other is missing or does not fit)."
    )
    team = {"resource_attrs": [{"key": "team", "op": "nin", "value_of": "subject.groups"}]}
    assert sentence(DENY, **team).endswith(
        "the `team` of the resource has a value that is none of the groups of the subject."
    )


def test_priority_and_state_are_said_where_they_are_not_usual() -> None:
    assert sentence(ALLOW | {"priority": 0, "enabled": True}) == f"{START}."
    assert sentence(ALLOW | {"priority": -2}) == f"{START}. Its priority is -2."
    assert sentence(ALLOW | {"enabled": False}) == f"{START}. The policy is disabled, so it has no effect."


def test_scopes_and_roles_are_grouped_without_doubt() -> None:
    scopes = [
        {"resource_type_id": "document", "actions": ["read"]},
        {"resource_type_id": "folder", "actions": ["read"]},
        {"resource_type_id": "vault", "actions": ["*"]},
        {"resource_type_id": "*", "actions": ["list", "open"]},
    ]
    body = {"id": "p", "effect": "ALLOW", "roles": ["a", "b"], "resource_types": scopes}
    assert sentence(body) == (
        "Allows everyone with one of the roles `a` or `b` to do `read` on any `document` or `folder`, and every action"
        " on any `vault`, and `list` and `open` on any resource."
    )


def test_hostile_names_are_data() -> None:
    role = "editor` or everyone"
    assert sentence(ALLOW | {"roles": [role]}).startswith('Allows everyone with the role "editor` or everyone" to do')
    assert "`<script>alert(1)</script>`" in sentence(ALLOW | {"roles": ["<script>alert(1)</script>"]})
    shown = sentence(ALLOW | {"roles": ["\u202erotide"]}, **when("eq", "\u202e\u200btfard\n", "\u2066k"))
    assert shown.isprintable()
    assert r"`\u202erotide`" in shown
    assert r'"\u202e\u200btfard\n"' in shown
    long = sentence(ALLOW | {"roles": ["r" * 512]}, **when("eq", "v" * 60_000))
    assert len(long) < 500
    assert "r…`" in long
    assert "v…" in long


def test_a_long_list_says_how_much_is_left_out() -> None:
    assert "7, 8, 9 or 9990 more" in sentence(ALLOW, **when("in", [*range(10_000)]))
    assert "`r9` or 2 more" in sentence(ALLOW | {"roles": [f"r{number}" for number in range(12)]})


@pytest.mark.parametrize("policy", corpus(), ids=lambda policy: policy.id)
def test_a_policy_of_the_corpus_is_said_with_everything_in_it(policy: Policy) -> None:
    """Each attribute with its constants, each gate, role, type and action is in the sentence."""
    shown, conditions = policy_sentence(policy), policy.conditions or Conditions()
    assert shown.startswith("Allows " if policy.effect == "ALLOW" else "Denies ")
    assert ("everyone with" in shown) is (policy.roles is not None)
    names = [*(policy.roles or ()), *(scope.resource_type_id for scope in policy.resource_types)]
    names += [action for scope in policy.resource_types for action in scope.actions]
    assert [name for name in names if name != "*" and f"`{name}`" not in shown] == []
    for section, owner in OWNERS.items():
        for condition in getattr(conditions, section) or ():
            assert f"the `{condition.key}` of the {owner} " in shown
            if condition.value_of is not None:
                is_now = condition.value_of == "now"
                assert ("the time of the request" if is_now else referred(condition.value_of)) in shown
                continue
            wanted = condition.value if isinstance(condition.value, list) else [condition.value]
            assert [one for one in wanted[:MOST_LISTED] if json.dumps(one) not in shown] == []
    window = conditions.time_window
    assert ("the time is" in shown) is (window is not None)
    if window is not None:
        times = (window.not_before, window.not_after, window.start, window.end, window.timezone)
        assert [one for one in times if one is not None and one not in shown] == []
    assert [block for block in conditions.ip_allowlist or () if block not in shown] == []
    assert ("for each subject" in shown) is (conditions.rate_limit is not None)
    assert ("disabled" in shown) is not policy.enabled
    assert ("Its priority is" in shown) is (policy.priority != 0)


def test_policies_of_another_meaning_have_another_sentence() -> None:
    """Nothing of the meaning is lost: a sentence stands for one meaning, and a cut one is left out here."""
    meanings: dict[str, bytes] = {}
    policies = [*corpus(), *random_policies()]
    for policy in policies:
        shown = policy_sentence(policy)
        if "…" not in shown:
            meaning = meaning_of(policy)
            assert meanings.setdefault(shown, meaning) == meaning, shown
    assert len(meanings) > 500


def meaning_of(policy: Policy) -> bytes:
    """The policy without what says nothing about its effect, in normal form."""
    body = msgspec.to_builtins(normalised(policy))
    scopes = {
        (one["resource_type_id"], "*" if "*" in one["actions"] else str(one["actions"]))
        for one in body["resource_types"]
    }
    body["resource_types"] = sorted(one for one in scopes if one[0] == "*" or ("*", one[1]) not in scopes)
    conditions = {name: part for name, part in body.get("conditions", {}).items() if part}
    if policy.conditions is not None and policy.conditions.time_window is not None:
        window = show_window(parse_window(policy.conditions.time_window))
        if not {"days", "start", "end"} & window.keys():
            window.pop("timezone", None)
        conditions["time_window"] = window
    said = {name: part for name, part in body.items() if name not in ("id", "name", "description", "conditions")}
    return canonical_json(said | {"conditions": conditions})


def test_the_exceptions_are_named():
    """Everyone else, or the holders of some roles and none of others (P6)."""
    assert sentence(DENY | {"except_roles": ["vip"]}) == f"{DENIED} except those with the role `vip`."
    shown = sentence(ALLOW | {"except_roles": ["guest", "vip"]})
    assert shown.startswith(
        "Allows everyone with the role `editor`, except those with one of the roles `guest` or `vip`, to"
    )
    assert sentence({**ALLOW, "except_roles": ["vip"], "effect": "DENY"}).endswith(
        "to everyone with the role `editor`, except those with the role `vip`."
    )
