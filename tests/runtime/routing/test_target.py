"""What a backend could read in another way is refused: a table of attacks, and a law over random bytes."""

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from writ.runtime.routing.target import MAX_PARAMETERS, MAX_TARGET, BadTarget, parameters, read_carefully, read_target

ATTACKS = [
    # encoded separators and dots
    *("/a%2fb", "/a%2Fb", "/%2f", "/a%5cb", "/a\\b", "/a/%2e%2e/b", "/a/%2E%2E/b", "/a/.%2e/b", "/a/%2e/b", "/a%2eb"),
    # dot segments
    *("/a/../b", "/a/..", "/..", "/.", "/a/./b", "/a/."),
    *("/a/..%20/b", "/a/%20../b", "/%20.%20", "/a/..%c2%a0/b", "/a/..%e3%80%80/b"),
    # encoded twice, and three times
    *("/a/%252e%252e/b", "/a%252fb", "/a%255cb", "/a%25252fb", "/%2500", "/a/%25u002e"),
    # NUL and other control characters, raw and encoded
    *("/a%00b", "/a%00", "/a\x00b", "/a%0ab", "/a%0d%0aX: y", "/a\tb", "/a b", "/a%7fb", "/a%c2%85b", "/a\x7f"),
    # empty segments
    *("//", "//evil.example/a", "/a//b", "/a//", "///a"),
    # parameters of a segment, fragments
    *("/a;b", "/a;jsessionid=1/b", "/a%3bb", "/..;/b", "/a#b", "/a%23b", "/a?b#c", "/a%3fb", "/a%3F"),
    # not UTF-8: overlong, cut, surrogates, latin-1
    *("/%c0%ae%c0%ae/b", "/%c0%af", "/%e9", "/%ed%a0%80", "/%f8%88%80%80%ae", "/%ff", "/é", "/\udce9"),
    # broken escapes
    *("/%", "/%2", "/%zz", "/a%u002e", "/%-1"),
    # other forms of a target
    *("", "a/b", "*", "http://evil.example/a", "https://evil.example", "evil.example:443", "?a=b", "\\a", " /a"),
    # too much
    *("/" + "a" * MAX_TARGET, "/a" * 65),
]


@pytest.mark.parametrize("attack", ATTACKS, ids=ascii)
def test_an_attack_is_refused(attack: str) -> None:
    with pytest.raises(BadTarget):
        read_target(attack)


@pytest.mark.parametrize(
    ("text", "segments", "query"),
    [
        ("/", ("",), ""),
        ("/a", ("a",), ""),
        ("/a/", ("a", ""), ""),
        ("/a/b%20c?x=1", ("a", "b c"), "x=1"),
        ("/%41", ("A",), ""),
        ("/caf%C3%A9", ("café",), ""),
        ("/a.b/c..d/...", ("a.b", "c..d", "..."), ""),
        ("/~user/@me/a:b=c,d!e$f&g'h(i)j*k+l", ("~user", "@me", "a:b=c,d!e$f&g'h(i)j*k+l"), ""),
        ("/a?b=/../%2e%2e//", ("a",), "b=/../%2e%2e//"),
        ("/100%25", ("100%",), ""),
        ("/a?", ("a",), ""),
    ],
)
def test_what_has_one_reading_is_read(text: str, segments: tuple[str, ...], query: str) -> None:
    found = read_target(text)
    assert (found.segments, found.query, found.path) == (segments, query, text.partition("?")[0])


PLAIN = st.characters(codec="utf-8", exclude_characters="/\\;#?.%\x00", exclude_categories=["Cc"])


@given(st.lists(st.text(PLAIN, min_size=1), min_size=1, max_size=8))
def test_a_quoted_path_is_read_back(segments: list[str]) -> None:
    text = "/" + "/".join(quote(one, safe="") for one in segments)
    if len(text) <= MAX_TARGET:
        assert read_target(text).segments == tuple(segments)


@given(st.text(st.characters(max_codepoint=255), max_size=40))
def test_what_is_read_has_no_other_reading(text: str) -> None:
    try:
        found = read_target(text)
    except BadTarget:
        return
    assert text.startswith("/")
    for at, one in enumerate(found.segments):
        assert one not in (".", "..")
        assert one or at == len(found.segments) - 1
        assert not set(one) & set("/\\;#\x00")
        assert all(character >= " " for character in one)


@given(
    st.text('/.%;?#a25\\+"é ', max_size=12).map("/{}".format) | st.text(st.characters(max_codepoint=128), max_size=20)
)
def test_a_plain_target_is_read_as_any_other(text: str) -> None:
    found: list[object] = []
    for read in (read_target, read_carefully):
        try:
            found.append(read(text))
        except BadTarget as ex:
            found.append(str(ex))
    assert found[0] == found[1]


def test_the_decoded_path_is_that_of_the_segments() -> None:
    for text, path in (("/", "/"), ("/a/b/", "/a/b/"), ("/a%20b/?x=%41", "/a b/"), ("/caf%C3%A9", "/café")):
        assert read_target(text).decoded_path == path


def test_parameters_are_read_as_forms() -> None:
    assert parameters("a=1&b=&c&a+b=%2B+x") == [("a", "1"), ("b", ""), ("c", ""), ("a b", "+ x")]
    assert parameters("") == []
    assert read_target("/?page=2&q=x").parameter("page") == "2"
    assert read_target("/?page=2").parameter("q") is None


@pytest.mark.parametrize("query", ["a=1;b=2", "a=%ff", "a=%", "&".join(["a=1"] * (MAX_PARAMETERS + 1))])
def test_a_bad_query_is_refused(query: str) -> None:
    with pytest.raises(BadTarget):
        parameters(query)


@pytest.mark.parametrize(
    "other",
    ["+draft", "draft+", "%09draft", "draft[]", "draft[0]", "Draft", "DRAFT", "draft%00", "draft%00x", "%64raft["],
)
@pytest.mark.parametrize("beside", ["draft=no&", "", "x=1&"])
def test_a_parameter_that_a_program_may_read_as_this_one_is_refused(beside: str, other: str) -> None:
    with pytest.raises(BadTarget, match="which some programs read as 'draft'"):
        read_target(f"/?{beside}{other}=yes").parameter("draft")


def test_php_reads_a_dot_and_a_space_as_an_underscore() -> None:
    for other in ("is.draft", "is+draft", "is%20draft"):
        with pytest.raises(BadTarget, match="some programs read as 'is_draft'"):
            read_target(f"/?{other}=yes").parameter("is_draft")


def test_other_parameters_are_no_concern() -> None:
    assert read_target("/?drafts=1&adraft=2&draft=3&[draft]=4&_draft=5").parameter("draft") == "3"


def test_a_parameter_that_is_there_twice_is_refused() -> None:
    with pytest.raises(BadTarget):
        read_target("/?a=1&b=2&a=1").parameter("a")
    with pytest.raises(BadTarget):
        read_target("/?a=1&%61=2").parameter("a")
