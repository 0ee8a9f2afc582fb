"""Reading YAML: the core schema, places, aliases, and what is refused."""

import pytest
from writ.compiler.documents.yaml import composer
from writ.compiler.documents.yaml.composer import PlainComposer, compose
from writ.compiler.limits import Limits

from tests.support.diagnosing import load_text, seen

NAME = "model.yaml"

PLAIN = {
    "no": "no",
    "yes": "yes",
    "on": "on",
    "09:00": "09:00",
    "1:20": "1:20",
    "2027-01-01": "2027-01-01",
    "2027-01-01T00:00:00Z": "2027-01-01T00:00:00Z",
    "1_000": "1_000",
    "=": "=",
    "0b1": "0b1",
    "'true'": "true",
    '"1"': "1",
    "!!str 1": "1",
    "true": True,
    "FALSE": False,
    "12": 12,
    "+12": 12,
    "-0": 0,
    "010": 10,
    "0o10": 8,
    "0x1F": 31,
    "1.5": 1.5,
    ".5": 0.5,
    "1.": 1.0,
    "1e3": 1000.0,
    "!!float 1": None,
    "~": None,
    "null": None,
    "": None,
    "[a, {b: c}]": ["a", {"b": "c"}],
    "|\n      x\n      y\n": "x\ny\n",
}


@pytest.mark.parametrize("text", [text for text in PLAIN if text != "!!float 1"])
def test_plain_scalars_mean_what_the_core_schema_says(text):
    document = f"model: 1\nsubjects:\n  - type: user\n    id: u\n    attributes:\n     a: {text}\n"
    value = load_text(document, NAME).model.subjects[0].attributes["a"]
    assert (type(value), value) == (type(PLAIN[text]), PLAIN[text])


FAULTS = {
    "model: 1\nroles:\n  - id: a\n    nmae: b\n": [("unknown-member", "nmae")],
    "model: 1\nroles:\n  - name: a\n  -  name: b\n": [("missing-member", "name"), ("missing-member", "name")],
    "model: 1\nroles:\n  - id: 12\n": [("wrong-type", "12")],
    "model: 1\nroles:\n  - id: a\n    name:\n": [("wrong-type", "")],
    "model: 1\nroles:\n  - - a\n": [("wrong-type", "-")],
    "model: 1\nroles:\n  id: a\n": [("wrong-type", "id")],
    "model: 1\nroles: [{id: two words, x: 1}, two words]\n": [("unknown-member", "x"), ("wrong-type", "two words")],
    "model: 1\nroles: [{id: a, id: b}]\n": [("duplicate-member", "id")],
    "model: 1\nroles: []\nroles: []\n": [("duplicate-member", "roles")],
    "model: 1\nroles: [{<<: {id: a}}]\n": [("merge-key", "<<")],
    "model: 1\n<<: {roles: []}\n": [("merge-key", "<<")],
    "model: 1\nroles: [{'<<': a, id: a}]\n": [("unknown-member", "'<<'")],
    "model: 1\nroles: [{1: a, id: a}]\n": [("wrong-type", "1")],
    "model: 1\nroles: [{~: a, id: a}]\n": [("wrong-type", "~")],
    "model: 1\nroles: [{[x]: a, id: a}]\n": [("wrong-type", "{")],
    "model: 1\nroles: [!role {id: a}]\n": [("yaml-tag", "!")],
    "model: 1\nroles: [{id: !!binary aGk=}]\n": [("yaml-tag", "!!binary aGk=")],
    "model: 1\nroles: [{id: a, name: !!int b}]\n": [("yaml-tag", "!!int b")],
    "model: 1\nroles: !!set {a}\n": [("yaml-tag", "!")],
    "!doc\nmodel: 1\n": [("yaml-tag", "model")],
    "model: 1\nroles: [{id: .inf}, {id: .NaN}]\n": [("not-a-number", ".inf"), ("not-a-number", ".NaN")],
    f"model: 1\nroles: [{{id: {'1' * 4_301}}}]\n": [("too-long", "1" * 4_301)],
    f"model: 1\nroles: [{{id: 0x{'f' * 4_300}}}]\n": [("too-long", "0x" + "f" * 4_300)],
    "model: 1\nroles: [{id: &a x}, {id: *a, name: *b}]\n": [("syntax", "*")],
    "model: 1\nroles: &r [{id: a, name: *r}]\n": [("recursive-alias", "&")],
    "model: 1\nsubjects: [{type: u, id: a, attributes: &x {a: *x}}]\n": [("recursive-alias", "&")],
    "model: 1\n---\nmodel: 1\n": [("several-documents", "-")],
    "": [("wrong-type", "")],
    "# nothing\n": [("wrong-type", "#")],
    "- model: 1\n": [("wrong-type", "-")],
    "model: [1\n": [("syntax", "[")],
    "model: 1\nroles:\n\t- id: a\n": [("syntax", "\t")],
    "model: 1\nroles: [{id: a\u0007}]\n": [("syntax", "\u0007")],
    "model: " + "[" * 32 + "]" * 32 + "\n": [("wrong-type", "["), ("too-deep", "[")],
    "model: " + "[" * 900 + "]" * 900 + "\n": [("too-deep", "[")],
}


@pytest.mark.parametrize("parser", ["libyaml", "python"])
@pytest.mark.parametrize("text", FAULTS, ids=lambda text: text[:40])
def test_faults_are_found_where_they_are(text, parser, monkeypatch):
    if parser == "python":
        monkeypatch.setattr(composer, "_PREFERRED", PlainComposer)
    assert seen(text, NAME) == FAULTS[text]


QUOTE = "put a text that starts with it in quotes"
HELP = {
    "model: 1\nroles:\n\t- id: a\n": (3, 1, "indent with spaces"),
    "model: 1\nroles: [{id: @a}]\n": (2, 14, QUOTE),
    "model: 1\nroles: [{id: *}]\n": (2, 14, QUOTE),
    "model: 1\nroles:\n- id: >=\n  name: a\n": (3, 7, QUOTE),
    "model: 1\nroles: [{id: 'a}]\n\n": (2, 14, ""),
    "model: 1\nroles:\n- id: !=\n  name: a\n": (
        3,
        7,
        "leave the tag out, or put a text that starts with `!` in quotes",
    ),
    "- model: 1\n": (1, 1, "write `model: 1` and the lists beside it"),
}


@pytest.mark.parametrize("parser", ["libyaml", "python"])
@pytest.mark.parametrize("text", HELP)
def test_help(text, parser, monkeypatch):
    if parser == "python":
        monkeypatch.setattr(composer, "_PREFERRED", PlainComposer)
    found = load_text(text, NAME).diagnostics[0]
    assert (found.line, found.column, found.help) == HELP[text]


def test_aliases_repeat_a_value():
    text = "model: 1\nroles: [{id: a, name: &n Long name}, {id: b, name: *n}]\n"
    assert [role.name for role in load_text(text, NAME).model.roles] == ["Long name", "Long name"]


def test_aliases_are_bounded_in_number():
    rows = [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 8)]
    found = load_text("\n".join(["a0: &a0 [x]", *rows, "roles: *a7", "model: 1"]), NAME).diagnostics
    assert [one.message for one in found if one.code == "too-many-values"] == [
        "the document has more than 1000000 values, which is the limit of a YAML document"
    ]


def test_aliases_are_bounded_in_depth():
    rows = [f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, 400)]
    found = load_text("\n".join(["a0: &a0 [x]", *rows, "subjects: [*a399]", "model: 1"]), NAME).diagnostics
    assert "too-deep" in [one.code for one in found]


def test_values_are_bounded_in_number():
    limits = Limits(yaml_nodes=10)
    assert seen("model: 1\nroles: [{id: a}, {id: b}, {id: c}]\n", NAME, limits) == [("too-many-values", "{")]


@pytest.mark.parametrize(
    "text", ["model: 1\r\nroles:\r\n- id: é\r\n  x: 1\r\n", "\ufeffmodel: 1\nroles: [{id: é, x: 1}]"]
)
def test_places_count_characters_and_lines(text):
    (found,) = load_text(text, NAME).diagnostics
    line = text.removeprefix("\ufeff").split("\n")[found.line - 1]
    assert line[found.column - 1 : found.column] == "x"


def test_progress_is_told_of_while_nodes_are_composed():
    heard = []
    compose("a: [" + "x, " * 25_000 + "]", Limits(), heard.append)
    assert len(heard) == 2


@pytest.mark.parametrize(
    "text",
    [
        "role editor\n",
        "# people\n\nrole editor\ntype doc\n    actions read\n",
        'policy p "N"\n    allow everyone to read doc\n    when resource.a in ["x"]\n',
        'type doc\n  attributes a string\npolicy p allow a to read doc when resource.a is {b: "c"}\n',
    ],
)
def test_text_of_the_other_language_is_recognised(text):
    (found,) = load_text(text, "model.yaml").diagnostics
    assert found.message == "the document is text in the `.writ` language, and not YAML"
    assert found.help == "give its file a name that ends in `.writ`"


@pytest.mark.parametrize("text", ["role\n", "rolex y\n", "some words\n", "role: x y\n", "role a: [\n"])
def test_other_text_is_not_taken_for_the_other_language(text):
    assert all("`.writ`" not in found.message for found in load_text(text, "model.yaml").diagnostics)
