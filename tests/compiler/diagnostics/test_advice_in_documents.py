"""What is advised for the members and operators that authors of other products write in YAML and JSON, as wanted."""

import pytest

from tests.support.diagnosing import compared, load_text, model_text, policy

ENABLED = "write `enabled: false` to switch a policy off"
ANOTHER_DENY = "write a policy with the effect `DENY` and these conditions"
NO_NEGATION = "no operator is the opposite of `regex`: write a policy with `DENY` for what matches"
PRESENCE = "write `op: nin` with the value `[]`, which holds if the attribute is present"
ABSENCE = 'no condition asks for absence: let the application send a value such as `"none"`'
EACH = "write a condition with `has` for each element"
OF_POLICIES = {
    "derived_roles": "roles are assigned: name them in `roles`, and write what else must hold in `conditions`",
    "derivedRoles": "roles are assigned: name them in `roles`, and write what else must hold in `conditions`",
    "disabled": ENABLED,
    "Disabled": ENABLED,
    "inactive": ENABLED,
    "excluded_roles": "did you mean `except_roles`?",
    "exept_roles": "did you mean `except_roles`?",
    "not_roles": "did you mean `except_roles`?",
    "deny_roles": "did you mean `except_roles`?",
    "roels": "did you mean `roles`?",
    "parent_roles": "roles do not inherit: name all roles in the policy, or assign both",
    "unless": ANOTHER_DENY,
    "enabeld": "did you mean `enabled`?",
}
OUTSIDE = "no test asks for an address outside of a block: write a policy with the effect `DENY` and an `ip_allowlist`"
OF_CONDITIONS = {
    **dict.fromkeys(("ip_denylist", "ip_blocklist", "ipBlacklist", "denylist", "ip_outside", "not_ip"), OUTSIDE),
    "ip_whitelist": "did you mean `ip_allowlist`?",
    "ip_alowlist": "did you mean `ip_allowlist`?",
}
OF_WINDOWS = {
    "before": "did you mean `not_after`?",
    "after": "did you mean `not_before`?",
    "until": "did you mean `not_after`?",
    "no_before": "did you mean `not_before`?",
    "except_days": "",
    "not_days": "",
}
OPERATORS = {
    "exists": PRESENCE,
    "not_null": PRESENCE,
    "not_exists": ABSENCE,
    "isNull": ABSENCE,
    "not_regex": NO_NEGATION,
    "notLike": NO_NEGATION,
    "!~": NO_NEGATION,
    "hasnt": "write `op: has_none` and a list",
    "not_has": "write `op: has_none` and a list",
    "has_all": EACH,
    "containsAll": EACH,
    "not_has_any": "did you mean `has_none`?",
    "not_one_of": "did you mean `nin`?",
    "geq": "did you mean `gte`?",
    "leq": "did you mean `lte`?",
    "lge": "",
}
LISTS = {
    "resource_type": "resource_types",
    "resourceType": "resource_types",
    "role": "roles",
    "Role": "roles",
    "group": "groups",
    "subject": "subjects",
    "resource": "resources",
    "assignment": "assignments",
    "grant": "grants",
    "policy": "policies",
    "route": "routes",
}


def help_for(text: str) -> str:
    """The help of the first finding."""
    return load_text(text).diagnostics[0].help


@pytest.mark.parametrize("member", OF_POLICIES)
def test_members_of_policies(member):
    text = model_text(policies=policy()).replace('"effect"', f'"{member}": [], "effect"', 1)
    assert help_for(text) == OF_POLICIES[member]


@pytest.mark.parametrize("member", OF_CONDITIONS)
def test_members_of_conditions(member):
    assert help_for(model_text(policies=policy(f'{{"{member}": []}}'))) == OF_CONDITIONS[member]


@pytest.mark.parametrize("member", OF_WINDOWS)
def test_members_of_windows(member):
    assert help_for(model_text(policies=policy(f'{{"time_window": {{"{member}": "x"}}}}'))) == OF_WINDOWS[member]


@pytest.mark.parametrize("op", OPERATORS)
def test_operators(op):
    assert help_for(compared(op, "[]")) == OPERATORS[op]


@pytest.mark.parametrize("member", LISTS)
def test_a_list_at_the_top_is_its_plural(member):
    assert help_for(f'{{"model": 1, "{member}": []}}') == f"did you mean `{LISTS[member]}`?"


def test_what_is_only_a_member_of_elements_still_belongs_there():
    assert help_for('{"model": 1, "conditions": {}}') == "`conditions` belongs in a policy: check its indentation"
