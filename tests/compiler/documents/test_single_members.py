"""`extensions` and `requests`: read in each form, checked, joined, written back, and put into the manifest (X1, E8)."""

import json
from typing import Any

import pytest
from writ.bundles import zones
from writ.bundles.extensions import EXTENSIONS
from writ.bundles.manifest import Manifest, decode_manifest, encode_manifest
from writ.bundles.zones import zone_names
from writ.compiler.check_elements import check_elements
from writ.compiler.compile import compile_model
from writ.compiler.documents.read_element import read_element
from writ.compiler.forms.all_forms import FORMS
from writ.compiler.forms.convert import convert
from writ.compiler.language.writing.format import formatted
from writ.compiler.load import Loaded, load
from writ.compiler.model.elements import ElementKind, Extensions, Model, Requests
from writ.compiler.model.normal_form import normalised
from writ.compiler.model.same_element import same_element
from writ.compiler.model.single_members import extensions_of
from writ.compiler.model.source_digest import source_digest
from writ.compiler.source import Source

from tests.support.diagnosing import FORMATS, model_text, seen

CASES = {
    "all": (model_text(extensions='["references", "now", "arrays"]', requests='"strict"'), []),
    "none": (model_text(extensions="[]"), []),
    "a repeated name": (model_text(extensions='["now", "now"]'), []),
    "an unknown name": (model_text(extensions='["now", "refrences"]'), [("unknown-value", '"refrences"')]),
    "a number": (model_text(extensions='[1, "now"]'), [("wrong-type", "1")]),
    "no array": (model_text(extensions='"now"'), [("wrong-type", '"now"')]),
    "an object": (model_text(extensions='{"names": ["now"]}'), [("wrong-type", "{")]),
    "no extensions": (model_text(extensions="null"), [("wrong-type", "null")]),
    "an unknown mode": (model_text(requests='"strct"'), [("unknown-value", '"strct"')]),
    "a mode in an array": (model_text(requests='["strict"]'), [("wrong-type", "[")]),
    "a flag": (model_text(requests="true"), [("wrong-type", "true")]),
    "no mode": (model_text(requests="null"), [("wrong-type", "null")]),
}


def loaded(*texts: str, ending: str = "writ") -> Loaded:
    return load([Source(f"{number}.{ending}", text.encode()) for number, text in enumerate(texts)], zone_names())


def document(**members: Any) -> str:
    return json.dumps({"model": 1} | members)


def model_of(found: Loaded) -> Model:
    assert found.model is not None, found.diagnostics
    return found.model


def manifest_of(model: Model) -> Manifest:
    return compile_model(model, zones.zone_data, zones.VERSION).manifest


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("case", CASES)
def test_a_member_is_checked(case, name):
    text, expected = CASES[case]
    assert seen(text, name) == expected


def test_a_finding_has_the_path_of_the_document_and_a_suggestion():
    found = loaded(document(extensions=["now", "refrences"], requests="strct"), ending="json")
    assert [(one.path, one.help) for one in found.diagnostics] == [
        ("$.extensions[1]", "did you mean `references`?"),
        ("$.requests", "did you mean `strict`?"),
    ]


@pytest.mark.parametrize("member", ["extensions", "requests"])
def test_help_says_what_to_write(member):
    helps = [loaded(document(**{member: value}), ending="json").diagnostics[0].help for value in (None, {})]
    assert helps[0] == "leave the member out"
    assert helps[1] == ("write an array of strings" if member == "extensions" else "")


def test_the_language_has_statements():
    model = model_of(loaded("requests strict\nextensions references, now\n"))
    assert (model.extensions, model.requests) == ((Extensions(("references", "now")),), (Requests("strict"),))
    assert model_of(loaded("extensions\n")).extensions == (Extensions(()),)


def test_several_statements_about_extensions_are_one():
    text = 'extensions references\nrole a\nextensions now, "nwo"\nrequests strict\nrequests strict\n'
    (found,) = loaded(text).diagnostics
    assert (found.code, found.path, found.line, found.column) == ("unknown-value", "$.extensions[2]", 3, 17)
    model = model_of(loaded(text.replace("nwo", "arrays")))
    assert (model.extensions, model.requests) == ((Extensions(("references", "now", "arrays")),), (Requests("strict"),))


@pytest.mark.parametrize(
    ("text", "message", "advice"),
    [
        ("requests lax", "expected `strict`, found `lax`", ""),
        ("requests strcit", "expected `strict`, found `strcit`", "did you mean `strict`?"),
        ("requests", "expected `strict` after `requests`", ""),
        ("extensions now arrays", "expected `,`, found `arrays`", "write a comma before `arrays`"),
        ("extension now", "`extension` starts no statement", "did you mean `extensions`?"),
    ],
)
def test_a_statement_that_cant_be_read_gets_advice(text, message, advice):
    (found,) = loaded(f"role a\n{text}\n").diagnostics
    assert (found.code, found.message, found.help, found.line) == ("syntax", message, advice, 2)


def test_documents_are_joined():
    found = load(
        [
            Source("a.writ", b"extensions now, arrays\nrequests strict\n"),
            Source("b.json", document(extensions=["references", "now"], requests="strict").encode()),
            Source("c.yaml", b"model: 1\nextensions: []\n"),
        ],
        zone_names(),
    )
    model = model_of(found)
    assert model.extensions == (Extensions(("arrays", "now", "references")),)
    assert model.requests == (Requests("strict"),)
    assert extensions_of(model) == {*EXTENSIONS}


def test_the_order_and_repeats_of_names_mean_nothing():
    one, other = Extensions(("now", "arrays", "now")), Extensions(("arrays", "now"))
    assert normalised(one) == other
    assert same_element(one, other)
    assert source_digest(Model(extensions=(one,))) == source_digest(Model(extensions=(other,)))


def test_each_member_changes_the_digest():
    models = [Model(), Model(extensions=(Extensions(("now",)),)), Model(requests=(Requests("strict"),))]
    assert len({source_digest(model) for model in models}) == len(models)


@pytest.mark.parametrize("form", FORMS)
def test_there_and_back(form):
    text = "extensions references, now\n\nrequests strict\n\nrole strict\n"
    there = convert([Source("a.writ", text.encode())], form).text
    assert there is not None
    back = convert([Source(f"b.{form}", there)], "writ").text
    assert back is not None
    assert back.decode() == text == formatted(text)


def test_they_are_written_beside_their_names():
    source = [Source("a.writ", b"extensions references, now\nrequests strict\nextensions\n")]
    assert convert(source, "yaml").text == b"model: 1\n\nextensions: [references, now]\n\nrequests: strict\n"
    assert convert(source, "json").text == b'{"model":1,\n"extensions":["references", "now"],\n"requests":"strict"}\n'


@pytest.mark.parametrize("word", ["extensions", "requests", "strict"])
def test_a_name_that_is_a_new_word_is_written_as_before(word):
    """The words came later, and no text that had them as names changes."""
    text = f"type {word}\n    actions {word}\n\nrole {word}\n"
    assert formatted(text) == text
    assert convert([Source("a.writ", text.encode())], "writ").text == text.encode()


def test_a_manifest_names_them_and_an_older_one_keeps_its_bytes():
    made = manifest_of(model_of(loaded("extensions references, now\nextensions now\nrequests strict\n")))
    assert (made.extensions, made.requests) == (("now", "references"), "strict")
    assert decode_manifest(encode_manifest(made)) == made
    plain = manifest_of(Model())
    assert (
        encode_manifest(plain)
        == json.dumps(
            {
                "source": plain.source,
                "tzdata": plain.tzdata,
                "counts": {},
                "environment": None,
                "epoch": 0,
                "revision": 0,
                "parent": None,
                "provenance": None,
            },
            separators=(",", ":"),
        ).encode()
    )
    assert decode_manifest(encode_manifest(plain)) == plain


def test_an_element_that_is_checked_alone_has_the_path_of_its_value():
    read = {
        ElementKind.EXTENSIONS: [read_element("extensions", {"names": ["now", "x"]})],
        ElementKind.REQUESTS: [read_element("requests", {"mode": 3})],
    }
    found = check_elements(read, {}, zone_names())
    assert [(one.element, one.path) for one in found] == [(("extensions", 0), "$[1]"), (("requests", 0), "$")]
