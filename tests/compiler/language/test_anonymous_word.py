"""`anonymous` behind the path of a route marks it (E11). Everywhere else the word is a name, as it was before."""

import pytest
from writ.compiler.language.writing.format import formatted

from tests.support.writ_texts import load_writ

TYPE = "type page\n    actions read\n\n"
ROUTE = """\
route public
    {} anonymous
    on shop.example
    means read page {{id}}
"""


@pytest.mark.parametrize("matched", ["GET /{id}", "GET, OPTIONS /{id}", "any method /{id}", "GET '/{id}/a-ü'"])
def test_the_mark_is_read_and_written(matched: str) -> None:
    text = ROUTE.format(matched)
    model = load_writ(TYPE + text).model
    assert model is not None
    assert [route.anonymous for route in model.routes] == [True]
    assert formatted(text) == text


def test_on_a_line_below_the_path_it_is_the_mark_too() -> None:
    text = ROUTE.format("GET /{id}\n   ")
    model = load_writ(TYPE + text).model
    assert model is not None
    assert model.routes[0].anonymous
    assert formatted(text) == ROUTE.format("GET /{id}")


def test_older_texts_mean_what_they_meant() -> None:
    text = TYPE + (
        "role anonymous\n\ngroup anonymous\n    members user anonymous, anonymous anonymous\n\n"
        "assign anonymous to user anonymous\n\ngrant read on page anonymous to user anonymous\n\n"
        "route anonymous\n    GET /a\n    means read page anonymous\n\n"
        "route b\n    GET /b/{id}\n    on anonymous, b.example\n    means read page\n"
        "    attributes a from query anonymous anonymous from header anonymous\n"
    )
    model = load_writ(text).model
    assert model is not None
    assert [(one.resource_id, one.anonymous) for one in model.routes] == [("anonymous", False), (None, False)]
    assert model.routes[1].attributes == {"a": "query:anonymous", "anonymous": "header:anonymous"}
    written = formatted(text)
    assert '"anonymous"' not in written
    assert load_writ(written).model == model


@pytest.mark.parametrize(
    "lines", ["means read page {id}\n    anonymous", "on a.example anonymous\n    means read page"]
)
def test_at_another_place_the_fault_says_where_it_belongs(lines: str) -> None:
    (fault, *_) = load_writ(f"{TYPE}route r\n    GET /{{id}}\n    {lines}\n").diagnostics
    assert fault.help == "write `anonymous` behind the path, such as `GET /public/{id} anonymous`"


def test_a_second_mark_is_a_fault() -> None:
    faults = load_writ(f"{TYPE}route r\n    GET /{{id}} anonymous anonymous\n    means read page\n").diagnostics
    assert [one.code for one in faults] == ["syntax"]
