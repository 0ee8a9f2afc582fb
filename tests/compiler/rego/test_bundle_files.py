"""The files of a bundle for OPA: which there are, that they are the same for the same model, and what is refused."""

import json
import random
from contextlib import suppress
from typing import Any

import msgspec
import pytest
from writ.bundles import zones
from writ.compiler.load import load
from writ.compiler.model import elements
from writ.compiler.rego.opa_files import bundle_files
from writ.compiler.rego.refusals import NotInRego
from writ.compiler.source import Source

from tests.support.opa import files_of
from tests.support.strategies import seeded_case

TYPES = [{"id": "document", "actions": ["read", "update"]}]
SCOPE = [{"resource_type_id": "document", "actions": ["read"]}]


def model(*policies: dict[str, Any], **lists: Any) -> dict[str, Any]:
    """A model with one type."""
    return {"resource_types": TYPES, "policies": list(policies), **lists}


def policy(conditions: dict[str, Any], **members: Any) -> dict[str, Any]:
    """A policy `p`."""
    return {"id": "p", "effect": "ALLOW", "resource_types": SCOPE, "conditions": conditions, **members}


def compared(op: str, value: Any) -> dict[str, Any]:
    """One condition on the attribute `status` of the resource."""
    return {"resource_attrs": [{"key": "status", "op": op, "value": value}]}


def refused(document: dict[str, Any]) -> list[str]:
    """The refusals of a model, as a person reads them."""
    with pytest.raises(NotInRego) as found:
        files_of(document)
    assert str(found.value) == "\n".join(map(str, found.value.refusals))
    return str(found.value).splitlines()


def test_the_manifest_owns_one_root_and_names_the_version_of_rego():
    loaded = load([Source("m.json", json.dumps({"model": 1}).encode())], zones.zone_names())
    files = bundle_files(loaded.model, zones.zone_data, "default:7", {"writ": {"revision": 7}})
    assert json.loads(files[".manifest"]) == {
        "metadata": {"writ": {"revision": 7}},
        "rego_version": 1,
        "revision": "default:7",
        "roots": ["writ"],
    }
    modules = ("conditions", "policy", "request", "rules", "values", "windows")
    assert sorted(files) == [".manifest", *sorted(("writ/data.json", *(f"writ/{name}.rego" for name in modules)))]
    assert all(b"writ export --as rego" in text for name, text in files.items() if name.endswith(".rego"))


def test_the_same_model_gives_the_same_bytes_in_any_order():
    for seed in range(30):
        document, _, _ = seeded_case(seed)
        for one in document.get("policies", []):
            one.get("conditions", {}).pop("rate_limit", None)
        shuffled = {name: rows[::-1] if isinstance(rows, list) else rows for name, rows in document.items()}
        for one in document.get("policies", []):
            random.Random(seed).shuffle(one["resource_types"])
        with suppress(NotInRego):
            assert files_of(document) == files_of(shuffled)


def test_a_policy_reads_like_one():
    conditions = {
        **compared("in", ["draft", "new", 1, True]),
        "context_attrs": [{"key": "mfa", "op": "eq", "value": True}],
        "time_window": {"days": ["mon"], "start": "22:00", "end": "06:00", "timezone": "Europe/Oslo"},
        "ip_allowlist": ["::ffff:10.0.0.0/104"],
    }
    text = files_of(model(policy(conditions, name="Night\nshift"), policy({}, id="q", effect="DENY")))
    assert text["writ/rules.rego"].decode().partition("import data.writ.windows\n\n")[2] == (
        '# "Night\\nshift"\n'
        'holds["p"] if {\n'
        '\tconditions.one_of(conditions.resource("status"), {"draft", "new"}, [true, 1])\n'
        '\tconditions.equals(conditions.context("mfa"), true)\n'
        '\twindows.during({"days": [0], "start": 1320, "end": 360, "timezone": "Europe/Oslo"})\n'
        '\tconditions.address_in(["10.0.0.0/8"])\n'
        "}\n\n"
        'holds["q"] := true\n'
    )


def test_garbage_switches_no_deny_off():
    conditions = {"time_window": {"days": ["mon"]}, "ip_allowlist": ["10.0.0.1"]}
    text = files_of(model(policy(conditions, effect="DENY")))["writ/rules.rego"].decode()
    assert "windows.during_or_unreadable(" in text
    assert "conditions.address_in_or_unreadable(" in text


def test_what_rego_can_not_say_is_refused_with_the_policy_the_reason_and_the_remedy():
    limit = {"rate_limit": {"limit": 1, "window_seconds": 60}}
    counted, letter = refused(model(policy(limit), policy(compared("regex", r"^\pL"), id="q")))
    assert counted == (
        "policy `p`, conditions.rate_limit: Rego can't count requests; leave the rate limit out, or enforce it "
        "outside OPA"
    )
    assert letter == (
        "policy `q`, conditions.resource_attrs: the pattern `^\\pL` has `\\p`, which OPA may read differently; "
        "list the characters, like `[a-zåé]`, or use another operator"
    )


def test_a_condition_on_a_required_attribute_is_refused():
    """C12: the exported rules would answer as if it were not required."""
    conditions = {"context_attrs": [{"key": "risk", "op": "gt", "value": 5}]}
    needed = {"attributes": {"context": {"risk": {"kind": "number", "required": True}}}}
    (one, other) = refused(model(policy(conditions)) | needed)
    assert "conditions.context_attrs: the exported rules don't know the declared values of `context.risk`" in one
    assert "conditions.context_attrs: the exported rules don't know that `context.risk` is required" in other


@pytest.mark.parametrize("effect", ["ALLOW", "DENY"])
@pytest.mark.parametrize("op", ["eq", "ne", "in", "gt"])
def test_a_condition_whose_kind_decides_is_refused(effect, op):
    """C13: an ALLOW that asks for a declared value is false for each other value in OPA, too."""
    value = [5] if op == "in" else 5
    conditions = {"context_attrs": [{"key": "risk", "op": op, "value": value}]}
    document = model(policy(conditions) | {"effect": effect}) | {"attributes": {"context": {"risk": "number"}}}
    if effect == "ALLOW" and op in ("eq", "in"):
        assert files_of(document)
    else:
        (one,) = refused(document)
        assert "the exported rules don't know the declared values of `context.risk`; leave its declaration out" in one


def test_each_reason_is_given_once_and_a_disabled_policy_is_not_refused():
    types = [*TYPES, {"id": "other", "actions": ["read"]}]
    scopes = [{"resource_type_id": type_["id"], "actions": ["*"]} for type_ in types]
    limit = policy({"rate_limit": {"limit": 1, "window_seconds": 60}}, resource_types=scopes)
    assert len(refused({"resource_types": types, "policies": [limit]})) == 1
    assert files_of({"resource_types": types, "policies": [limit | {"enabled": False}]})


def test_every_member_of_the_model_is_translated():
    """Without a line in `compiler/rego/`, a new member would be lost, and OPA would decide otherwise."""
    known = {
        "ResourceType": "id actions name closed attributes",
        "Role": "id name",
        "SubjectRef": "type id",
        "ResourceRef": "type id",
        "Member": "type id group",
        "Group": "id name members",
        "Subject": "type id external_id attributes",
        "Resource": "type id external_id name attributes",
        "Assignment": "role id subject group starts_at expires_at",
        "Grant": "subject group resource actions id starts_at expires_at",
        "Scope": "resource_type_id actions",
        "Condition": "key op value value_of",
        "TimeWindow": "not_before not_after days start end timezone",
        "RateLimit": "limit window_seconds",
        "Conditions": "resource_attrs subject_attrs action_attrs context_attrs time_window ip_allowlist rate_limit",
        "Policy": "id effect resource_types name description priority enabled roles except_roles conditions",
        # Routes decide nothing, so an export leaves them out.
        "Route": "id methods path resource_type action hosts resource_id external_id attributes anonymous",
        # A condition on a required attribute is refused.
        "AttributeDeclaration": "kind one_of required",
        "DeclaredAttributes": "subject context action",
        "SilencedLint": "code reason on",
        "Extensions": "names",
        "Requests": "mode",
        "Model": "extensions requests resource_types roles groups subjects resources assignments grants policies routes"
        " attributes lints",
    }
    found = {
        name: " ".join(field.name for field in msgspec.structs.fields(shape))
        for name, shape in vars(elements).items()
        if isinstance(shape, type)
        and issubclass(shape, msgspec.Struct)
        and shape not in (elements.Element, msgspec.Struct)
    }
    assert found == known
