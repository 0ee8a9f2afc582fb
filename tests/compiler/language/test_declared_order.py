"""What follows the kind of a declared attribute stands in any order, and its words are no names."""

import pytest
from writ.compiler.language.writing.format import formatted

from tests.support.writ_texts import load_writ, read

ONE = {"kind": "string", "required": True, "one_of": ["a"]}


@pytest.mark.parametrize("written", ['string one of ["a"] required', 'string required one of ["a"]'])
@pytest.mark.parametrize("after", ["", ", size number", "\n        size number"])
def test_required_and_one_of_stand_in_any_order(written, after):
    text = f"type doc\n    actions read\n    attributes status {written}{after}\n"
    ((_, element),) = read(text)
    size = {"size": "number"} if after else {}
    assert element["attributes"] == {"status": ONE, **size}


@pytest.mark.parametrize("section", ["subject user", "context", "action"])
def test_so_they_do_in_declarations(section):
    ((_, element),) = read(f'declare {section} status string one of ["a"] required\n')
    found = element[section.split()[0]]
    assert (found["user"] if "user" in section else found) == {"status": ONE}


@pytest.mark.parametrize(
    "written",
    [
        "tags array of string",
        "tags array, of string",
        "tags array element string",
        "tags array required, one string",
        "size number required required",
        "size number one of [1] one of [2]",
        "required string",
    ],
)
def test_no_attribute_is_declared_by_mistake(written):
    text = f"type doc\n    actions read\n    attributes {written}\n"
    assert [one.code for one in load_writ(text).diagnostics] == ["syntax"]


def test_in_quotes_they_are_names():
    ((_, element),) = read('type doc\n    actions read\n    attributes "required" string, "of" number, "one" array\n')
    assert element["attributes"] == {"required": "string", "of": "number", "one": "array"}


@pytest.mark.parametrize(
    "text",
    [
        "type doc\n    actions read\n    attributes tags array\n        meta object\n        size number\n",
        "declare context tags array\n    meta object required\n    size number\n",
        'declare subject user tags array one of ["a"]\n    meta object\n    size number\n',
        "declare action tags array\n    meta object\n",
        "declare subject user\n",
        "declare subject\n",
        "declare context\n",
    ],
)
def test_the_formatter_writes_the_commas_that_one_line_needs(text):
    shown = formatted(text)
    assert read(shown) == read(text)
    assert formatted(shown) == shown
