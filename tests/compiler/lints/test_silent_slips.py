"""Slips about which nothing was said: patterns, windows, letters, bounds, repeats, subjects and holders."""

import json
from typing import Any

import pytest
from writ.bundles.zones import zone_names
from writ.compiler.load import load
from writ.compiler.source import Source

from tests.support.linting import addresses, allow, deny, model, on, told, when, window


def warned(code: str, text: str) -> bool:
    return bool(told(code, text))


PATTERNS = {
    "plain text": ("desk", True),
    "plain text with a dot": (r"example\.com", True),
    "a glob": ("desk-*", True),
    "the empty text": ("", True),
    "any text": (".*", True),
    "any text, anchored": ("^.*$", True),
    "optional": ("a*", True),
    "half anchored": (r"^INC-\d+|AML-\d+$", True),
    "half anchored at the start": (r"^INC-\d+|AML-\d+", True),
    "a bare dot": ("@bank.example.com$", True),
    "an end in the middle": (r"^INC$-\d", True),
    "a start in the middle": (r"INC^-\d", True),
    "anchored": (r"^desk$", False),
    "a beginning": (r"^desk-", False),
    "an ending": (r"@bank\.example\.com$", False),
    "anchored alternatives": (r"^(INC|AML)-\d+$", False),
    "all alternatives anchored": (r"^INC-\d+$|^AML-\d+$", False),
    "a number in a text": (r"INC-\d+", False),
    "any character on purpose": ("^a.c$", False),
    "repeats of a class": (r"^[a-z]*$", False),
    "repeats of any": ("^desk-.*$", False),
    "a set with signs": (r"^[$^.*|]+$", False),
    "several lines": (r"(?m)^INC$", False),
    "an end before nothing": (r"^INC$(?:)", False),
    "quoted": (r"^\Qa.b\E$", False),
}


@pytest.mark.parametrize(("pattern", "is_odd"), PATTERNS.values(), ids=PATTERNS)
def test_odd_patterns(pattern, is_odd):
    assert warned("odd-pattern", model(allow(**when("s", "regex", pattern)))) == is_odd


def listed(pattern: str) -> str:
    attributes = {"state": {"kind": "string", "one_of": ["new", "closed"]}}
    types = [{"id": "document", "actions": ["read"], "attributes": attributes}]
    return model(allow(**when("state", "regex", pattern)), resource_types=json.dumps(types))


def test_a_pattern_that_no_declared_value_matches():
    (message,) = told("odd-pattern", listed("^open$"))
    assert message == "the pattern `^open$` is odd: no declared value of `state` matches it"
    assert told("odd-pattern", listed("^close")) == []


HOURS = {"start": "09:00", "end": "17:00"}
OSLO = {"timezone": "Europe/Oslo"}


@pytest.mark.parametrize(
    ("windows", "count"),
    [
        ([HOURS, HOURS | OSLO], 1),
        ([HOURS | OSLO, {"days": ["mon"]}], 1),
        ([HOURS, HOURS], 0),
        ([HOURS | {"timezone": "UTC"}, HOURS | OSLO], 0),
        ([{"not_before": "2027-01-01T00:00:00Z"}, HOURS | OSLO], 0),
        ([{"start": "16:00", "end": "08:00"}], 1),
        ([{"start": "22:00", "end": "06:00"}], 0),
        ([{"start": "20:00", "end": "08:00"}], 0),
        ([HOURS | {"timezone": "EST"}], 1),
        ([HOURS | {"timezone": "America/New_York"}], 0),
    ],
)
def test_odd_windows(windows, count):
    policies = [allow(id=f"p{number}", **window(**one)) for number, one in enumerate(windows)]
    assert len(told("odd-window", model(*policies))) == count


@pytest.mark.parametrize(
    ("blocks", "is_odd"),
    [(["0.0.0.0/0"], True), (["10.0.0.0/8", "::/0"], True), (["10.0.0.0/8"], False), (["0.0.0.0/1"], False)],
)
def test_a_block_of_all_addresses(blocks, is_odd):
    assert warned("any-address", model(allow(**addresses(*blocks)))) == is_odd


@pytest.mark.parametrize(
    ("op", "bound", "is_odd"),
    [
        ("gte", -1e308, True),
        ("lt", 1e300, True),
        ("gte", "", True),
        ("gte", 0, False),
        ("lte", 10**15, False),
        ("gt", "", False),
        ("eq", 1e308, False),
    ],
)
def test_a_bound_that_is_none(op, bound, is_odd):
    assert warned("extreme-bound", model(allow(**when("s", op, bound)))) == is_odd


@pytest.mark.parametrize(
    ("one", "other", "is_odd"),
    [
        ("confidential", "c\u043enfidential", True),
        ("OSLO", "\u039fSLO", True),
        ("oslo", "os\u200blo", True),
        ("caf\u00e9", "cafe\u0301", True),
        ("\u043e\u0441\u043b\u043e", "\u043e\u0441\u043b\u043e", False),
        ("oslo", "bergen", False),
        ("Tromsø", "Tromso", False),
        ("Zürich", "Bern", False),
    ],
)
def test_letters_that_only_look_alike(one, other, is_odd):
    policies = [allow(id=id, **when("s", "eq", text)) for id, text in (("a", one), ("b", other))]
    found = told("confusable", model(*policies))
    assert bool(found) == is_odd
    assert len(found) <= 1


def test_a_constant_is_compared_with_declared_values_too():
    types = [{"id": "document", "actions": ["read"], "attributes": {"s": {"kind": "string", "one_of": ["\u0441ar"]}}}]
    text = model(allow(**when("k", "in", ["car", "bus"], "subject_attrs")), resource_types=json.dumps(types))
    (message,) = told("confusable", text)
    assert message == "`\u0441ar` looks like `car`, but has cyrillic small letter es"


# -- twice


def twice(**more: Any) -> str:
    return model(allow(**more))


def members(*types: str) -> str:
    return model(allow(), groups=json.dumps([{"id": "g", "members": [{"type": type, "id": "a"} for type in types]}]))


def under(section: str, *conditions: tuple[str, Any]) -> dict[str, Any]:
    return {section: [{"key": "s", "op": op, "value": value} for op, value in conditions]}


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (twice(conditions=under("resource_attrs", ("eq", 1), ("eq", 1))), 1),
        (twice(roles=["editor", "editor"]), 1),
        (twice(**on("document", "read", "read")), 1),
        (members("user", "user"), 1),
        (twice(conditions=under("resource_attrs", ("gte", 1), ("gt", 1))), 0),
        (twice(conditions=under("subject_attrs", ("eq", 1)) | under("action_attrs", ("eq", 1))), 0),
        (members("user", "bot"), 0),
        (twice(conditions=under("resource_attrs", ("eq", 1), ("eq", True))), 0),
    ],
)
def test_the_same_part_twice(text, count):
    assert len(told("repeated-part", text)) == count


# -- people


def people(**lists: Any) -> str:
    return model(allow(), **{name: json.dumps(one) for name, one in lists.items()})


def user(id: str) -> dict[str, str]:
    return {"type": "user", "id": id}


def assigned(role: str, *ids: str, **more: str) -> list[dict[str, Any]]:
    return [{"role": role, "subject": user(id)} | more for id in ids]


@pytest.mark.parametrize(
    ("known", "named", "is_odd"),
    [
        ("dora", "dorra", True),
        ("dora", "dora", False),
        ("dora", "otto", False),
        ("nurse1", "nurse2", False),
        ("user-10", "user-100", False),
        ("ann", "anna", False),
    ],
)
def test_a_subject_that_is_one_slip_from_a_known_one(known, named, is_odd):
    assert warned("near-subject", people(subjects=[user(known)], assignments=assigned("editor", named))) == is_odd
    members = [{"id": "eng", "members": [user(known)]}]
    assert warned("near-subject", people(groups=members, assignments=assigned("editor", named))) == is_odd


def test_without_known_subjects_none_is_a_slip():
    assert not warned("near-subject", people(assignments=assigned("editor", "dora", "dorra")))


ROLE = {"type": "role", "id": "viewer"}


@pytest.mark.parametrize(
    "lists",
    [
        {"groups": [{"id": "g", "members": [ROLE]}]},
        {"assignments": [{"role": "editor", "subject": ROLE}]},
        {"grants": [{"subject": ROLE, "resource": {"type": "document", "id": "d"}, "actions": ["read"]}]},
    ],
)
def test_a_role_where_a_subject_stands(lists):
    assert warned("role-as-subject", people(**lists))
    assert not warned("role-as-subject", people(**lists, subjects=[ROLE]))
    assert not warned("role-as-subject", people(**json.loads(json.dumps(lists).replace('"viewer"', '"other"'))))


BOTH = [*assigned("editor", "ann", "bob"), *assigned("viewer", "ann", "bob")]


@pytest.mark.parametrize(
    ("assignments", "is_odd"),
    [
        (BOTH, True),
        (BOTH[:3], False),
        ([], False),
        ([*BOTH[:3], BOTH[3] | {"expires_at": "2035-01-01T00:00:00Z"}], False),
        (assigned("viewer", "ann"), False),
    ],
)
def test_a_policy_no_holder_left(assignments, is_odd):
    lists = {"assignments": json.dumps(assignments)}
    assert warned("no-holder-left", model(allow(except_roles=["viewer"]), **lists)) == is_odd
    assert warned("no-holder-left", model(allow(), deny(1, roles=["viewer"]), **lists)) == is_odd


def test_members_of_groups_hold_its_roles():
    groups = [{"id": "eng", "members": [user("ann")]}, {"id": "backend", "members": [{"group": "eng"}]}]
    given = [{"role": "editor", "group": "eng"}, {"role": "viewer", "group": "backend"}]
    lists = {"groups": json.dumps(groups), "assignments": json.dumps(given)}
    assert warned("no-holder-left", model(allow(except_roles=["viewer"]), **lists))


@pytest.mark.parametrize(
    "more",
    [when("s", "eq", 1), on("document", "update")],
    ids=["with a condition", "of another action"],
)
def test_a_deny_that_leaves_something_does_not_make_it_so(more):
    text = model(allow(), deny(1, roles=["viewer"], **more), assignments=json.dumps(BOTH))
    assert not warned("no-holder-left", text)


# -- the instant


def timed(*ops: str, kind: str | None = None) -> str:
    conditions = {"resource_attrs": [{"key": "due", "op": op, "value_of": "now"} for op in ops]}
    types = [{"id": "document", "actions": ["read"]} | ({"attributes": {"due": kind}} if kind else {})]
    return model(allow(conditions=conditions), extensions='["now"]', resource_types=json.dumps(types))


@pytest.mark.parametrize(
    ("ops", "never"),
    [(("lte", "gt"), True), (("lt", "gte"), True), (("lte", "gte"), False), (("lte",), False), (("gt", "gte"), False)],
)
def test_a_time_that_has_passed_and_is_still_to_come(ops, never):
    assert warned("never-holds", timed(*ops)) == never


@pytest.mark.parametrize(
    ("ops", "never"),
    [
        (("eq", "ne"), True),
        (("in", "nin"), True),
        (("gt", "lte"), True),
        (("gte", "lte"), False),
        (("ne", "gt"), False),
    ],
)
def test_references_that_contradict_each_other(ops, never):
    conditions = {"resource_attrs": [{"key": "s", "op": op, "value_of": "subject.k"} for op in ops]}
    assert warned("never-holds", model(allow(conditions=conditions), extensions='["references"]')) == never


@pytest.mark.parametrize(("kind", "is_odd"), [("string", True), ("instant", False), (None, False)])
def test_a_text_that_is_compared_with_the_time(kind, is_odd):
    assert warned("text-instant", timed("lte", kind=kind)) == is_odd


def test_the_language_reaches_these_warnings():
    text = """
type report
    actions read

role treasury
role nurse

group ward
    members role nurse

grant read on report r1 to role treasury

policy desks
    allow nurse, treasury to read report
    when resource.desk matches 'desk-*'
    from 16:00 until 08:00
"""
    found = load([Source("m.writ", text.encode())], zone_names()).diagnostics
    expected = {"role-as-subject", "odd-pattern", "odd-window"}
    assert expected <= {one.code for one in found}, [one.message for one in found]
