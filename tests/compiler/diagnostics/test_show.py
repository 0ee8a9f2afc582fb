"""Diagnostics as text and as JSON."""

import json

from writ.compiler.diagnostics.show import MAX_EXCERPT, show_json, show_text
from writ.compiler.load import load
from writ.compiler.source import Source


def shown(data: bytes, name: str = "model.json") -> list[str]:
    sources = [Source(name, data)]
    return list(show_text(load(sources, ()).diagnostics, sources))


def test_text():
    text = b'{"model": 1,\n\t"roles": [{"id": "a", "nmae": "A"}]}'
    (found,) = shown(text)
    assert found.split("\n") == [
        "model.json:2:24: error[unknown-member]: unknown member `nmae`",
        '   "roles": [{"id": "a", "nmae": "A"}]}',
        "                         ^^^^^^",
        "  help: did you mean `name`?",
    ]


def test_text_without_a_place():
    assert shown(b"", "model.txt") == [
        "model.txt: error[unknown-kind]: the name of a model document ends in `.json`, `.yaml`, `.yml` or `.writ`"
    ]


def test_a_long_line_is_shown_around_the_place():
    roles = [*({"id": f"a{number}"} for number in range(999)), {"id": 1}, *({"id": f"b{n}"} for n in range(999))]
    (found,) = shown(json.dumps({"model": 1, "roles": roles}).encode())
    _, line, carets, _ = found.split("\n")
    assert line.startswith("  …")
    assert line.endswith("…")
    assert len(line) < 130
    assert line[carets.index("^")] == "1"
    assert carets.index("^") == len("  …") + MAX_EXCERPT


def test_a_value_over_several_lines_is_underlined_on_its_first():
    (found,) = shown(b"model: 1\nroles: [{id: a, name: {}}]\nrols: x\n", "m.yaml")[:1]
    assert found.split("\n")[2].count("^") == 1
    (found,) = shown(b"model: 1\nroles: [{id: 'a\n\n  b', x: 1}]\n", "m.yaml")
    assert found.split("\n")[1].endswith("b', x: 1}]")


def test_what_a_terminal_obeys_is_not_shown():
    (found,) = shown('model: 1\nroles: [{id: a, "\u2028\u202e": 1}]\n'.encode(), "\x1b[2Jm.yaml")
    assert all(line.isprintable() for line in found.split("\n"))


def test_text_that_is_not_utf8_is_shown_as_far_as_it_can_be():
    (found,) = shown(b'{"model": 1, "roles": [{"id": "\xff"}]}')
    _, line, carets, _ = found.split("\n")
    assert line[carets.index("^")] == "\ufffd"


def test_json():
    sources = [Source("model.json", b'{"model": 2}')]
    assert json.loads(show_json(load(sources, ()).diagnostics)) == [
        {
            "code": "unknown-version",
            "severity": "error",
            "message": "the document has version `2`, this Writ knows only version `1`",
            "file": "model.json",
            "line": 1,
            "column": 11,
            "path": "$.model",
            "help": "",
        }
    ]


def test_json_of_nothing():
    assert json.loads(show_json([])) == []


def alike(count: int) -> bytes:
    scopes = [{"resource_type_id": "t", "actions": ["read"]}]
    allows = [json.dumps({"id": f"p{at}", "effect": "ALLOW", "resource_types": scopes}) for at in range(count)]
    types, separator = json.dumps([{"id": "t", "actions": ["read"]}]), ",\n"
    return f'{{"model": 1, "resource_types": {types}, "policies": [\n{separator.join(allows)}]}}'.encode()


def test_warnings_that_say_the_same_are_one_with_its_places():
    (everyone,) = [one for one in shown(alike(20)) if "[allow-everyone]" in one]
    first, *rest = everyone.split("\n")
    assert first == (
        "model.json:2:24: warning[allow-everyone]: the ALLOW `p0` has neither roles nor conditions, so it applies to"
        " everyone"
    )
    assert rest[3:] == [*(f"  also at model.json:{at + 2}:24: `p{at}`" for at in range(1, 6)), "  and 14 more"]


def test_each_place_is_an_entry_of_the_json():
    sources = [Source("model.json", alike(20))]
    found = json.loads(show_json(load(sources, ()).diagnostics))
    assert len([one for one in found if one["code"] == "allow-everyone"]) == 20


def test_errors_with_different_remedies_stay_apart():
    roles = '[{"id": "a", "nmae": 1}, {"id": "b", "nmae": 1}, {"id": "c", "nam": 1}]'
    found = shown(f'{{"model": 1, "roles": {roles}}}'.encode())
    assert [one.split("\n")[0].partition(": ")[2] for one in found] == [
        "error[unknown-member]: unknown member `nmae`",
        "error[unknown-member]: unknown member `nam`",
    ]
    assert found[0].split("\n")[-1].startswith("  also at model.json:1:")
