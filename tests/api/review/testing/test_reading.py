"""Faults of a test file are diagnostics, with the place and often the right name, as those of a model are."""

import json

import pytest
from writ.api.review.testing.file_reading import read_file
from writ.api.review.testing.policy_test_codes import TEST_CODES, show_test_codes
from writ.compiler.diagnostics.codes import CODES
from writ.compiler.source import Source

from tests.support.pages import page

ASK = "{subject: {type: user, id: a}, action: {name: read}, resource: {type: d, id: x}}"
SEARCH = "{subject: {type: user, id: a}, action: {name: read}, resource: {type: d}}"
TABLE = "subjects: {alice: {type: user, id: a}}, actions: [read], resources: {x: {type: d, id: x}}"
LINES = TABLE.replace("}, a", "}\n  a").replace("], r", "]\n  r")

FAULTS = [
    ("tests: [", "syntax", 1, "", ""),
    ("- 1", "wrong-type", 1, "expected an object", ""),
    ("tests: []", "no-expectation", 1, "the file has no tests", ""),
    ("test: []", "unknown-member", 1, "unknown member `test`", "did you mean `tests`?"),
    ("model: 5\ntests: []", "wrong-type", 1, "expected an array", ""),
    ("model: ''\ntests: []", "wrong-type", 1, "expected an array", ""),
    ("tests:\n- {name: n, reqest: {}}", "unknown-member", 2, "unknown member `reqest`", "did you mean `request`?"),
    ("tests:\n- {request: {}}", "missing-member", 2, "the member `name` is missing", ""),
    ("tests:\n- {name: n}", "either-or", 2, "this one has none", ""),
    (f"tests:\n- {{name: n, request: {ASK}, search: {SEARCH}}}", "either-or", 2, "`request` and `search`", ""),
    (f"tests:\n- {{name: n, request: {ASK}}}", "no-expectation", 2, "expects nothing", ""),
    (f"tests:\n- {{name: n, request: {ASK}, expect: {{}}}}", "no-expectation", 2, "expects nothing", ""),
    (
        f"tests:\n- {{name: n, request: {ASK}, expect: {{decison: true}}}}",
        "unknown-member",
        2,
        "unknown member `decison`",
        "did you mean `decision`?",
    ),
    (
        f"tests:\n- {{name: n, request: {ASK}, expect: {{decision: 1}}}}",
        "wrong-type",
        2,
        "expected `true` or `false`",
        "",
    ),
    (
        f"tests:\n- {{name: n, request: {ASK}, expect: {{reason_code: ALLOW}}}}",
        "unknown-value",
        2,
        "unknown value `ALLOW`",
        "did you mean `ALLOWED`?",
    ),
    (
        f"tests:\n- {{name: n, request: {ASK}, expect: {{filter: {{}}}}}}",
        "unknown-member",
        2,
        "unknown member `filter`",
        "",
    ),
    (
        "tests:\n- name: n\n  request: {subject: {type: user}}\n  expect: {decision: true}",
        "bad-request",
        3,
        "",
        "",
    ),
    (
        f"tests:\n- name: n\n  search: {SEARCH}\n  expect:\n    filter: {{type: const}}",
        "bad-filter",
        5,
        "a const node has exactly the members",
        "",
    ),
    (
        (
            f"tests:\n- name: n\n  search: {SEARCH}\n  expect:\n"
            "    filter: {type: logical, operator: or, conditions: [\n"
            "      {type: field, field: a, operator: is, value: 1}]}"
        ),
        "bad-filter",
        6,
        "`operator` of a field node is one of",
        "",
    ),
    (f"tests:\n- {{name: n, {TABLE}, allowed: {{}}, expect: {{}}}}", "unknown-member", 2, "has no member `expect`", ""),
    (
        f"tests:\n- {{name: n, request: {ASK}, {TABLE}, expect: {{decision: true}}}}",
        "unknown-member",
        2,
        "`subjects`",
        "",
    ),
    ("tests:\n- {name: n, actions: [read], allowed: {}}", "missing-member", 2, "`resources` is missing", ""),
    (f"tests:\n- {{name: n, {TABLE.replace('[read]', '[]')}, allowed: {{}}}}", "no-expectation", 2, "no requests", ""),
    (
        f"tests:\n- name: n\n  {LINES}\n  allowed: {{alcie: {{}}}}",
        "unknown-name",
        6,
        "no subject `alcie`",
        "did you mean `alice`?",
    ),
    (f"tests:\n- {{name: n, {TABLE}, allowed: {{alice: {{y: []}}}}}}", "unknown-name", 2, "no resource `y`", ""),
    (
        f"tests:\n- {{name: n, {TABLE}, allowed: {{alice: {{x: [raed]}}}}}}",
        "unknown-name",
        2,
        "no action `raed`",
        "did you mean `read`?",
    ),
    (f"tests:\n- {{name: n, {TABLE}, allowed: {{alice: {{x: read}}}}}}", "wrong-type", 2, "expected an array", ""),
    (
        (
            "tests:\n- name: n\n  subjects:\n    al: {type: user}\n  actions: [read]\n"
            "  resources: {x: {type: d, id: x}}\n  allowed: {}"
        ),
        "bad-request",
        4,
        "name the subject by exactly one of",
        "",
    ),
    (f"now: soon\ntests:\n- {{name: n, request: {ASK}, expect: {{decision: true}}}}", "bad-instant", 1, "`soon`", ""),
    (f"tests:\n- {{name: n, now: true, request: {ASK}, expect: {{decision: true}}}}", "bad-instant", 2, "`true`", ""),
    (
        f"tests:\n- {{name: n, name: m, request: {ASK}, expect: {{decision: true}}}}",
        "duplicate-member",
        2,
        "`name`",
        "",
    ),
    ("tests:\n- {name: !x n}", "yaml-tag", 2, "", ""),
    (f"model: []\ntests:\n- {{name: n, {TABLE}, allowed: {{}}}}", "no-model", 1, "names no source", "leave it out"),
    *(
        (
            f"tests:\n- name: n\n  {kind}: {asked[:-1]}, {said}: {{}}}}\n  expect: {expected}",
            "unknown-member",
            3,
            f"unknown member `{said}`",
            help_text,
        )
        for kind, asked, expected in (("request", ASK, "{decision: false}"), ("search", SEARCH, "{results: []}"))
        for said, help_text in (
            ("contxt", "did you mean `context`?"),
            ("optons", "did you mean `options`?"),
            ("mfa", "goes into `context`"),
        )
    ),
    *(
        (
            f"tests:\n- name: n\n  request: {ASK.replace(part, f'{part}, {said}: icu')}\n  expect: {{decision: false}}",
            "unknown-member",
            3,
            f"unknown member `{said}`",
            help_text,
        )
        for part, said, help_text in (
            ("id: x", "ward", "the attributes of the resource go into `properties`"),
            ("id: x", "propertis", "did you mean `properties`?"),
            ("id: a", "name", "the attributes of the subject go into `properties`"),
            ("name: read", "attributes", "the attributes of the action go into `properties`"),
        )
    ),
    (
        f"tests:\n- name: n\n  request: {ASK[:-1]}, options: {{explan: true}}}}\n  expect: {{decision: false}}",
        "unknown-member",
        3,
        "unknown member `explan`",
        "did you mean `explain`?",
    ),
    (
        f"tests:\n- name: n\n  search: {SEARCH.replace(': d', ': d, properties: {}')}\n  expect: {{results: []}}",
        "unknown-member",
        3,
        "unknown member `properties`",
        "",
    ),
    (f"tests:\n- {{name: n, {TABLE.replace('id: x', 'id: x, wrad: 1')}, allowed: {{}}}}", "unknown-member", 2, "", ""),
    *(
        (
            f"tests:\n- name: n\n  {kind}: {asked}\n  expect: {{context: {{}}}}",
            "no-expectation",
            4,
            "an empty `context` expects nothing",
            "name a member",
        )
        for kind, asked in (("request", ASK), ("search", SEARCH))
    ),
    *(
        (f"now: {now}\ntests:\n- {{name: n, {TABLE}, allowed: {{}}}}", "bad-instant", 1, f"`{now}` would be", "")
        for now in (2030, 203001, 20300131)
    ),
]


@pytest.mark.parametrize(("text", "code", "line", "message", "help_text"), FAULTS)
def test_a_fault_has_a_place_and_a_remedy(text, code, line, message, help_text):
    found = read_file(Source("x.test.yaml", text.encode()))
    assert found.tests == ()
    one = next(one for one in found.diagnostics if one.code == code)
    assert one.line == line
    assert message in one.message
    assert help_text in one.help


def test_places_in_json():
    text = json.dumps({"tests": [{"name": "n", "request": {"subject": 1}, "expect": {"decision": True}}]}, indent=1)
    (found,) = read_file(Source("x.test.json", text.encode())).diagnostics
    assert (found.code, found.path) == ("bad-request", "$.tests[0].request.subject")
    assert text.splitlines()[found.line - 1][found.column - 1 :] == "1"


@pytest.mark.parametrize("data", [b"", b"\xff", b"{", b"nul", b"[1] 2", b'{"tests": [{"name": "\\ud800"}]}', b"{}"])
def test_whatever_a_file_contains_it_is_told(data):
    for name in ("x.test.json", "x.test.yaml", "x.test.yml"):
        assert read_file(Source(name, data)).diagnostics


def test_a_good_file_has_its_questions():
    text = f"now: 0\ntests:\n- {{name: n, now: 5, {TABLE}, context: {{a: 1}}, allowed: {{alice: {{x: [read]}}}}}}"
    (test,) = read_file(Source("x.test.yaml", text.encode())).tests
    (asked,) = test.questions
    assert (asked.label, asked.now, asked.expected) == ("alice, read, x", 5.0, {"decision": True})
    assert asked.request["context"] == {"a": 1}


def test_the_codes_are_told(request):
    """`--update-golden` writes the table."""
    table = page("api/TESTING.md")
    assert table.is_generated("codes", show_test_codes(), request.config.getoption("--update-golden"))
    names = [code.name for code in TEST_CODES]
    assert names == sorted(names)
    assert not {*names} & {code.name for code in CODES}


@pytest.mark.parametrize(
    ("model", "sources"), [("../policies/app.writ", ("../policies/app.writ",)), ("[a, b]", ("a", "b"))]
)
def test_a_model_is_a_text_or_a_list(model: str, sources: tuple[str, ...]) -> None:
    text = f"model: {model}\ntests:\n- {{name: n, request: {ASK}, expect: {{decision: true}}}}"
    found = read_file(Source("t.test.yaml", text.encode()))
    assert (found.model, found.diagnostics) == (sources, ())
