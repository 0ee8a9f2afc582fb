"""Elements that are checked by themselves have the faults that they have in a document, in its order."""

import json
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from writ.bundles.zones import zone_names
from writ.compiler.check_elements import ElementFault, check_elements, element_warnings
from writ.compiler.diagnostics.diagnostic import Diagnostic
from writ.compiler.documents.read_element import read_element
from writ.compiler.limits import DEFAULTS, Limits
from writ.compiler.lints.all_lints import LINTS
from writ.compiler.load import load
from writ.compiler.model.elements import LISTS, SINGLE_MEMBERS, Element
from writ.compiler.source import Source

from tests.support.hostile import damaged, hostile_lists
from tests.support.strategies import document
from tests.support.strategies_pick import Pick

TYPE = {"id": "document", "actions": ["read"], "attributes": {"status": "string"}}
GRANT = {"subject": {"type": "user", "id": "u"}, "resource": {"type": "document", "id": "d"}, "actions": ["read"]}
SOUND = {
    "resource_types": [TYPE],
    "roles": [{"id": "r"}],
    "groups": [{"id": "g", "members": [{"type": "user", "id": "ü"}]}],
    "subjects": [{"type": "user", "id": "u", "attributes": {"a": None}}],
    "assignments": [{"role": "r", "group": "g", "expires_at": "2030-01-01T00:00:00Z"}],
    "grants": [{"id": "g1"} | GRANT, {"id": "g2", "expires_at": "2030-01-01T00:00:00Z"} | GRANT],
}
FAULTY = {
    "a null": {"grants": [GRANT | {"expires_at": None}]},
    "a lone surrogate": {"grants": [GRANT | {"id": "\ud800"}]},
    "a lone surrogate in a name": {"subjects": [{"type": "user", "id": "u", "attributes": {"\ud800": 1}}]},
    "an unknown member": {"grants": [GRANT | {"effect": "DENY"}]},
    "a missing member": {"roles": [{"name": "r"}]},
    "a wrong type": {"roles": [{"id": 1}]},
    "no object": {"roles": [1]},
    "an id that is too long": {"roles": [{"id": "r" * 513}]},
    "a text that is too long": {"grants": [GRANT | {"expires_at": "2" * 70_000}]},
    "a name that is too long": {"subjects": [{"type": "user", "id": "u", "attributes": {"a": {"n" * 257: 1}}}]},
    "a number that is none": {"subjects": [{"type": "user", "id": "u", "attributes": {"a": [float("nan")]}}]},
    "an undeclared type": {"grants": [GRANT | {"resource": {"type": "other", "id": "d"}}]},
    "an undeclared action": {"grants": [GRANT | {"actions": ["delete"]}]},
    "no action": {"grants": [GRANT | {"actions": []}]},
    "an instant that can't be read": {"grants": [GRANT | {"expires_at": "tomorrow"}]},
    "an undeclared role": {"assignments": [{"role": "s", "group": "g"}]},
    "an assignment to nobody": {"assignments": [{"role": "r"}]},
    "an undeclared group": {"groups": [{"id": "h", "members": [{"group": "i"}]}]},
    "an id that stands twice": {"roles": [{"id": "r"}, {"id": "r"}]},
    "a reserved name": {"resource_types": [TYPE, {"id": "*", "actions": ["read"]}]},
    "names in another order": {"grants": [{"expires_at": "tomorrow", "effect": 1, "x": 1, "actions": [1, "a"]}]},
}

SEEDS = st.integers(0, 2**40)

Lists = dict[str, list[object]]
Seen = tuple[str, str, str, str]
"""Code, message, path from the document's root, and help."""


def checked(lists: Lists, declared: Lists | None = None, limits: Limits = DEFAULTS) -> list[Seen]:
    """The faults of elements beside others."""
    elements = {name: [read_element(name, value, limits=limits) for value in many] for name, many in lists.items()}
    others = {name: [element(name, value) for value in many] for name, many in (declared or {}).items()}
    return [seen(fault) for fault in check_elements(elements, others, zone_names(), limits)]


def element(name: str, value: object) -> Element:
    read = read_element(name, value).element
    assert read is not None
    return read


def seen(fault: ElementFault) -> Seen:
    if fault.element is None:
        return fault.code, fault.message, fault.path, fault.help
    name, index = fault.element
    return fault.code, fault.message, f"$.{name}[{index}]{fault.path[1:]}", fault.help


def in_document(lists: Lists, limits: Limits = DEFAULTS) -> list[Seen]:
    """The errors of a document with the same elements."""
    text = {"model": 1} | {name: lists[name] for name in LISTS if name in lists}
    loaded = load([Source("model.json", json.dumps(text).encode())], zone_names(), limits=limits)
    errors = [found for found in loaded.diagnostics if found.severity == "error"]
    assert bool(errors) == (loaded.model is None)
    return [(found.code, found.message, found.path, without_place(found.help)) for found in errors]


def without_place(help_text: str) -> str:
    return "" if help_text.startswith("the first one is at") else help_text


def nested(depth: int) -> Lists:
    value: object = 1
    for _ in range(depth):
        value = {"a": value}
    return {"subjects": [{"type": "user", "id": "u", "attributes": value}]}


def test_sound_elements_have_no_fault():
    assert not in_document(SOUND)
    assert not checked(SOUND)


@pytest.mark.parametrize("fault", FAULTY)
def test_a_fault_is_the_one_of_a_document(fault):
    lists = SOUND | FAULTY[fault]
    assert in_document(lists)
    assert checked(lists) == in_document(lists)


@pytest.mark.parametrize("depth", range(27, 33))
def test_nesting_counts_from_the_root_of_a_document(depth):
    assert checked(nested(depth)) == in_document(nested(depth))


@settings(max_examples=90)
@given(SEEDS)
def test_elements_have_the_faults_that_they_have_in_a_document(seed):
    lists = hostile_lists(seed)
    assert checked(lists) == in_document(lists)


@settings(max_examples=40)
@given(SEEDS)
def test_of_declared_elements_nothing_is_told(seed):
    """The faults of a list's elements are the same whether the other lists are checked with it or declared."""
    pick = Pick.seeded(seed)
    sound = {name: many for name, many in document(pick).items() if many and is_list(name)}
    for name, many in sound.items():
        lists = {name: [damaged(pick, value) for value in many]}
        others = {other: found for other, found in sound.items() if other != name}
        assert checked(lists, others) == [one for one in in_document(others | lists) if is_about(name, one)]


def is_list(name: str) -> bool:
    return name in LISTS and name not in SINGLE_MEMBERS


def is_about(name: str, one: Seen) -> bool:
    return one[2].startswith(f"$.{name}")


def test_what_is_said_twice_of_a_place_counts_once():
    scopes = [{"resource_type_id": "document", "actions": ["read"]}] * 2
    conditions = {"resource_attrs": [{"key": "state", "op": "eq", "value": 1}]}
    policy = {"id": "p", "effect": "ALLOW", "resource_types": scopes, "conditions": conditions}
    lists = {"resource_types": [TYPE], "policies": [policy]}
    assert len(checked(lists)) == 1
    assert checked(lists) == in_document(lists)


def test_of_many_faults_some_are_listed_and_the_rest_counted():
    lists = {"roles": [{"id": number, "x": 1} for number in range(7)]}
    limits = Limits(diagnostics=10)
    assert checked(lists, limits=limits) == in_document(lists, limits)
    assert checked(lists, limits=limits)[-1] == ("too-many", "and 4 more", "$", "")


ALONE = {lint.find.__name__.replace("_", "-") for lint in LINTS if lint.alone}


@settings(max_examples=60)
@given(SEEDS)
def test_a_policy_has_the_warnings_that_every_document_with_it_has(seed):
    """The lints that compare policies may warn of more, beside other policies."""
    check_warnings(document(Pick.seeded(seed)))


def test_random_policies_have_such_warnings():
    assert sum(check_warnings(document(Pick.seeded(seed))) for seed in range(10))


def check_warnings(model: dict[str, object]) -> int:
    """Checks the warnings about each policy, and returns their number."""
    told, warnings = 0, warnings_of(model)
    for place, policy in enumerate(model.get("policies", ())):
        read = read_element("policies", policy)
        found = [(one.code, one.message, one.path, one.help) for one in element_warnings(read)]
        for told_of_all, index in ((warnings, place), (warnings_of(model | {"policies": [policy]}), 0)):
            at = f"$.policies[{index}]"
            assert [
                (one.code, one.message, "$" + one.path.removeprefix(at), one.help)
                for one in told_of_all
                if one.code in ALONE and one.path.startswith(at + ".")
            ] == found
        told += len(found)
    return told


def warnings_of(document: dict[str, object]) -> Sequence[Diagnostic]:
    return load([Source("m.json", json.dumps(document).encode())], zone_names()).diagnostics


def test_the_lints_that_need_no_other_element_are_marked():
    assert {"empty-list", "allow-everyone", "looks-like-reference", "open-instant", "wide-allow"} == ALONE
    assert element_warnings(read_element("roles", {"id": "r"})) == ()
    assert element_warnings(read_element("policies", {"id": "r"})) == ()
