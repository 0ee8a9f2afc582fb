"""Loading several documents: merged lists, places in each, order and number of diagnostics, what hides nothing."""

import json

import pytest
from writ.bundles.zones import zone_names
from writ.compiler.limits import Limits
from writ.compiler.load import load
from writ.compiler.source import Source

from tests.support.diagnosing import FORMATS, load_text, model_text, seen, underlined

TYPES = "model: 1\nresource_types:\n- {id: document, actions: [read]}\n"


def load_all(documents: dict[str, str], limits: Limits | None = None, progress=lambda *_: None):
    sources = [Source(name, text.encode()) for name, text in documents.items()]
    return load(sources, zone_names(), progress, limits or Limits())


def test_lists_are_joined_in_the_order_of_the_sources():
    loaded = load_all(
        {
            "b.yaml": "model: 1\nroles: [{id: b1}, {id: b2}]\n",
            "a.json": '{"model": 1, "roles": [{"id": "a1"}]}',
            "c.yml": "model: 1\n",
            "d.JSON": '{"roles": [{"id": "d1"}], "model": 1}',
        }
    )
    assert [role.id for role in loaded.model.roles] == ["b1", "b2", "a1", "d1"]
    assert loaded.diagnostics == ()


def test_documents_refer_to_each_other():
    loaded = load_all(
        {
            "roles.json": '{"model": 1, "roles": [{"id": "editor"}]}',
            "given.yaml": "model: 1\nassignments: [{role: editor, group: eng}, {role: edtor, group: eng}]\n",
            "groups.yaml": "model: 1\ngroups: [{id: eng}]\n",
        }
    )
    (found,) = loaded.diagnostics
    assert (found.file, found.path, found.line, found.column) == ("given.yaml", "$.assignments[1].role", 2, 50)


def test_places_are_those_of_each_document_whatever_could_not_be_read_before():
    loaded = load_all(
        {
            "a.json": '{"model": 1, "roles": [{"id": "x"}, {"id": 1}, {"id": "y"}]}',
            "b.yaml": "model: 1\nroles:\n- id: z\n- nmae: w\n- id: x\n- id: y\n",
        }
    )
    assert [(found.file, found.path, found.line, found.code) for found in loaded.diagnostics] == [
        ("a.json", "$.roles[1].id", 1, "wrong-type"),
        ("b.yaml", "$.roles[1]", 4, "missing-member"),
        ("b.yaml", "$.roles[1].nmae", 4, "unknown-member"),
        ("b.yaml", "$.roles[2].id", 5, "duplicate-id"),
        ("b.yaml", "$.roles[3].id", 6, "duplicate-id"),
    ]
    assert [found.help for found in loaded.diagnostics[3:]] == [
        "the first one is at a.json:1:24",
        "the first one is at a.json:1:48",
    ]


@pytest.mark.parametrize("name", ["model", "model.txt", "model.json.bak", "json", ""])
def test_other_kinds_of_files_are_refused(name):
    (found,) = load_all({name: '{"model": 1}'}).diagnostics
    assert (found.code, found.line, found.column, found.path) == ("unknown-kind", 0, 0, "$")
    assert found.message == "the name of a model document ends in `.json`, `.yaml`, `.yml` or `.writ`"


def test_each_document_needs_its_version():
    loaded = load_all({"a.yaml": "model: 1\n", "b.yaml": "roles: []\n"})
    assert [(found.file, found.code) for found in loaded.diagnostics] == [("b.yaml", "missing-member")]


def test_no_source_is_an_empty_model():
    assert load([], ()).model.roles == ()


REFERRING = ', "assignments": [{"role": "%s", "subject": {"type": "user", "id": "u"}}]}'
UNREADABLE = {
    '{"model": 1, "roles": [{"id": "a", "x": 1}]' + REFERRING % "a": ["unknown-member"],
    '{"model": 1, "roles": [{"id": "a", "x": 1}]' + REFERRING % "b": ["unknown-member", "unknown-role"],
    '{"model": 1, "roles": [{"id": 1}]' + REFERRING % "b": ["wrong-type"],
    '{"model": 1, "roles": ["a"]' + REFERRING % "b": ["wrong-type"],
    '{"model": 1, "roles": {}' + REFERRING % "b": ["wrong-type"],
    '{"model": 1, "roles": [], "roles": [{"id": "b"}]' + REFERRING % "b": ["duplicate-member"],
    '{"model": 1, "rolls": [{"id": "b"}]' + REFERRING % "b": ["unknown-member", "unknown-role"],
}


@pytest.mark.parametrize("text", UNREADABLE)
def test_nothing_is_reported_merely_because_something_could_not_be_read(text):
    assert [code for code, _ in seen(text)] == UNREADABLE[text]


TYPES_IN_PART = {
    "other members": ('"actions": ["read"], "clsoed": true', ["unknown-member"], True),
    "no actions": ('"acions": ["read"]', ["missing-member", "unknown-member"], False),
    "some actions": ('"actions": ["read", 1]', ["wrong-type"], False),
    "actions twice": ('"actions": ["read"], "actions": ["read"]', ["duplicate-member"], False),
}


@pytest.mark.parametrize("case", TYPES_IN_PART)
def test_an_action_is_called_unknown_where_all_actions_could_be_read(case):
    members, faults, known = TYPES_IN_PART[case]
    types = f'[{{"id": "document", {members}}}, {{"id": "folder", "actions": ["list"]}}]'
    for type_id, is_judged in (("document", known), ("folder", True), ("*", known)):
        policy = {"id": "p", "effect": "DENY", "resource_types": [{"resource_type_id": type_id, "actions": ["sign"]}]}
        text = model_text(resource_types=types, policies=json.dumps([policy]))
        assert [code for code, _ in seen(text)] == [*faults, *["unknown-action"] * is_judged]


def test_diagnostics_are_sorted_whatever_the_order_of_the_sources():
    documents = {
        "b.yaml": "model: 2\nroles: [{id: 1}, {id: 2}]\n",
        "a.yaml": "model: 1\nroles: [{id: a}, {id: b, name: 3}]\n\nrols: 1\n",
    }
    one = load_all(documents).diagnostics
    other = load_all(dict(reversed(documents.items()))).diagnostics
    assert one == other
    places = [(found.file, found.line, found.column, found.code, found.message) for found in one]
    assert places == sorted(places)
    assert len(places) == 5


def test_the_number_of_diagnostics_is_limited():
    text = model_text(roles=json.dumps([{"id": number} for number in range(30)]))
    loaded = load_text(text, limits=Limits(diagnostics=10))
    assert len(loaded.diagnostics) == 11
    assert [found.path for found in loaded.diagnostics[:10]] == [f"$.roles[{number}].id" for number in range(10)]
    last = loaded.diagnostics[-1]
    assert (last.code, last.severity, last.message, last.line) == ("too-many", "error", "and 20 more", 0)
    assert loaded.model is None


def test_warnings_over_the_limit_are_no_error():
    conditions = {"resource_attrs": [{"key": "k", "op": "in", "value": []}] * 5}
    scope = [{"resource_type_id": "document", "actions": ["read"]}]
    policy = {"id": "p", "effect": "ALLOW", "resource_types": scope, "conditions": conditions}
    loaded = load_text(model_text(policies=json.dumps([policy])), limits=Limits(diagnostics=2))
    assert [(found.code, found.severity) for found in loaded.diagnostics] == [
        ("empty-list", "warning"),
        ("empty-list", "warning"),
        ("too-many", "warning"),
    ]
    assert loaded.model is not None


def test_help_stays_within_bounds_among_many_faults():
    """Near names are looked for in a loop of the limit's length, not of the document's."""
    roles = [{"id": f"role-{number}"} for number in range(2_000)]
    given = [{"role": f"rolle-{number}", "group": "eng"} for number in range(20)]
    text = model_text(roles=json.dumps(roles), assignments=json.dumps(given))
    found = load_text(text, limits=Limits(diagnostics=5)).diagnostics
    assert [one.help for one in found[:2]] == ["did you mean `role-0`?", "did you mean `role-1`?"]
    assert found[-1].message == "and 15 more"


def test_progress_is_told_of_in_order_and_to_the_end():
    heard: dict[str, list[tuple[int, int]]] = {}
    roles = [{"id": str(number)} for number in range(25_000)]
    documents = {"a.json": json.dumps({"model": 1, "roles": roles}), "b.yaml": TYPES}
    load_all(documents, progress=lambda stage, done, total: heard.setdefault(stage, []).append((done, total)))
    assert list(heard) == ["reading", "checking"]
    for steps in heard.values():
        assert steps == sorted(steps)
        assert steps[-1][0] == steps[-1][1]
    assert len(heard["reading"]) == 4


def test_messages_hold_nothing_that_a_terminal_obeys():
    text = json.dumps(
        {"model": 1, "roles": [{"id": "a", "\x1b[2J\n": 1}], "assignments": [{"role": "\x07", "group": "\r"}]}
    )
    for found in load_text(text).diagnostics:
        assert (found.message + found.help + found.path).isprintable()


@pytest.mark.parametrize("name", FORMATS)
def test_of_equal_names_the_last_is_at_fault_and_counts(name):
    text = '{"model": 1, "roles": [{"id": "a", "name": 1, "name": 22}]}'
    found = load_text(text, name).diagnostics
    assert [(one.code, one.column, underlined(one, text)) for one in found] == [
        ("duplicate-member", text.rindex('"name"') + 1, '"name"'),
        ("wrong-type", text.rindex("22") + 1, "22"),
    ]
