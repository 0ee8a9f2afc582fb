"""Conditions of a request: what the grammar allows is compared, strongly or weakly, and anything else is refused."""

import time

import falcon.asgi
import pytest
from falcon.testing import create_scope
from writ.api.http.entity_tags import MOST_TAGS, expected_tags, is_known, required_tag, wants_new
from writ.api.store.errors import BadQuery, PreconditionFailed


def asked(**headers: str) -> falcon.asgi.Request:
    """A request with headers, whose names are written with `_`."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return falcon.asgi.Request(create_scope(headers=named), receive=None)


@pytest.mark.parametrize(
    ("header", "tags"),
    [
        ('"a"', {"a"}),
        ('"a","b"', {"a", "b"}),
        ('"a" ,\t, "b",', {"a", "b"}),
        ('"a,b"', {"a,b"}),
        ('"a,b", "c"', {"a,b", "c"}),
        ('""', {""}),
        ('"*"', {"*"}),
        ('W/"a", "b"', {"b"}),
        ('W/"a"', set()),
        ('"\xe9"', {"\xe9"}),
        (" * ", None),
        (", ".join(f'"{number}"' for number in range(MOST_TAGS)), {str(number) for number in range(MOST_TAGS)}),
    ],
)
def test_what_the_grammar_allows(header: str, tags: set[str] | None) -> None:
    assert expected_tags(asked(If_Match=header)) == tags


@pytest.mark.parametrize(
    "header",
    ["", " ", ",", "a", '"a', 'a"', '"a" "b"', '"a", b', '"a,b', 'w/"a"', 'W/a', '"a b"', '"a"x, "b"', '*, "a"', "**",
     ", ".join(['"a"'] * (MOST_TAGS + 1))],
)  # fmt: skip
def test_what_breaks_the_grammar_is_refused(header: str) -> None:
    for req in (asked(If_Match=header), asked(If_None_Match=header)):
        with pytest.raises(BadQuery):
            required_tag(req, "a")


def test_a_quoted_asterisk_is_a_tag_like_any_other() -> None:
    with pytest.raises(PreconditionFailed):
        required_tag(asked(If_Match='"*"'), "a")
    assert not is_known(asked(If_None_Match='"*"'), "a")


def test_if_none_match_compares_weakly() -> None:
    assert is_known(asked(If_None_Match='W/"a"'), "a")
    assert is_known(asked(If_None_Match="*"), "a")
    assert not is_known(asked(If_None_Match='W/"b"'), "a")
    assert not is_known(asked(), "a")


@pytest.mark.parametrize(
    ("header", "new"), [(None, False), ("*", True), (" *\t", True), ('"*"', False), ('"a"', False), ('W/"a"', False)]
)
def test_an_asterisk_asks_that_nothing_is_there(header: str | None, new: bool) -> None:
    """RFC 9110, 13.1.2: a quoted asterisk is a tag, and tags ask nothing of what is not there."""
    assert wants_new(asked() if header is None else asked(If_None_Match=header)) == new


def test_nothing_is_there_and_something_is_there_contradict_each_other() -> None:
    for header in ("*", '"a"', 'W/"a"'):
        with pytest.raises(BadQuery):
            wants_new(asked(If_None_Match="*", If_Match=header))
    assert not wants_new(asked(If_None_Match='"a"', If_Match='"b"'))
    with pytest.raises(BadQuery):
        wants_new(asked(If_None_Match="*x"))


def test_a_hostile_header_takes_no_time() -> None:
    begun = time.process_time()
    for header in ('"a"' + ", \t" * 20_000 + "x", '"a",' * 20_000 + "x", " " * 60_000):
        with pytest.raises(BadQuery):
            expected_tags(asked(If_Match=header))
    assert time.process_time() - begun < 1
