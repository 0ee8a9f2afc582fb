"""From bytes to a bounded JSON object (authzen.md 69-72, 99, 101; W5, W8)."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from writ.api.http.bodies import check_coding, check_content_type, check_media, decoded
from writ.api.http.rejections import BodyRejected, UnsupportedCoding
from writ.api.settings.settings import HttpLimits

LIMITS = HttpLimits()


def code_of(body: bytes, limits: HttpLimits = LIMITS) -> str:
    with pytest.raises(BodyRejected) as refused:
        decoded(body, limits)
    return refused.value.detail.code


@pytest.mark.parametrize(
    "content_type",
    [
        "application/json",
        "application/json; charset=utf-8",
        "application/json;charset=UTF-8",
        "Application/JSON",
        " application/json ; x=y",
    ],
)
def test_json_is_json_with_any_parameter(content_type: str) -> None:
    check_content_type(content_type)


@pytest.mark.parametrize("charset", ["iso-8859-1", '"utf-16"', "utf-8-sig", ""])
def test_another_charset_than_utf_8_is_refused(charset: str) -> None:
    for check in (check_content_type, lambda sent: check_media(sent, ("application/json",))):
        with pytest.raises(BodyRejected, match="the charset must be UTF-8"):
            check(f"application/json; charset={charset}")


@pytest.mark.parametrize("coding", ["gzip", "br", "gzip, identity", "x"])
def test_a_content_coding_is_refused_by_its_name(coding: str) -> None:
    with pytest.raises(UnsupportedCoding, match=f"`{coding}`"):
        check_coding(coding)


@pytest.mark.parametrize("coding", [None, "", "identity", "Identity"])
def test_a_body_without_a_coding_is_taken(coding: str | None) -> None:
    check_coding(coding)


@pytest.mark.parametrize("body", [b'\xef\xbb\xbf{"a": 1}', '{"a": 1}'.encode("utf-16")])
def test_a_byte_order_mark_is_named(body: bytes) -> None:
    with pytest.raises(BodyRejected, match="begins with a byte order mark"):
        decoded(body, HttpLimits())


@pytest.mark.parametrize(
    "content_type",
    [
        None,
        "",
        "text/plain",
        "application/jsonp",
        "application/json+x",
        "application/x-www-form-urlencoded",
        "*/*",
        ";",
    ],
)
def test_anything_else_is_refused(content_type: str | None) -> None:
    with pytest.raises(BodyRejected) as refused:
        check_content_type(content_type)
    assert refused.value.detail.code == "content-type"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "empty-body"),
        (b"  \n", "invalid-json"),
        (b"{", "invalid-json"),
        (b"{'a': 1}", "invalid-json"),
        (b'{"a": 1,}', "invalid-json"),
        (b'{"a": 1} x', "invalid-json"),
        (b'{"a": 01}', "invalid-json"),
        (b'{"a": NaN}', "invalid-json"),
        (b'{"a": Infinity}', "invalid-json"),
        (b'{"a": 1e400}', "invalid-json"),
        (b'{"a": ' + b"9" * 5_000 + b"}", "invalid-json"),
        (b'\xef\xbb\xbf{"a": 1}', "invalid-json"),
        (b'{"a": "\xff"}', "invalid-json"),
        (b'{"a": "\xed\xa0\x80"}', "invalid-json"),
        (rb'{"a": "\ud800"}', "invalid-json"),
        (rb'{"a": "\udc00 "}', "invalid-json"),
        (rb'{"\ud83d": 1}', "invalid-json"),
        (b'{"a": "\n"}', "invalid-json"),
        ('{"a": 1}'.encode("utf-16"), "invalid-json"),
        (b"[]", "not-an-object"),
        (b"null", "not-an-object"),
        (b"true", "not-an-object"),
        (b"7", "not-an-object"),
        (b'"text"', "not-an-object"),
    ],
)
def test_what_is_no_json_object_is_refused(body: bytes, code: str) -> None:
    assert code_of(body) == code


def test_what_is_json_is_read_exactly() -> None:
    body = rb'{"a": [1, 1.0, true, null, "\ud83d\ude00 \u0000", 123456789012345678901234567890, 1e308], "b": {}}'
    assert decoded(body, LIMITS) == {
        "a": [1, 1.0, True, None, "\N{GRINNING FACE} \0", 123456789012345678901234567890, 1e308],
        "b": {},
    }


def test_a_member_twice_is_refused() -> None:
    assert code_of(b'{"a": 1, "b": {"c": 1, "c": 2}}') == "duplicate-member"


@pytest.mark.parametrize("depth", [33, 900, 5_000, 500_000])
@pytest.mark.parametrize(("opening", "closing"), [(b"[", b"]"), (b'{"a":', b"}")])
def test_deep_json_is_refused_however_deep(depth: int, opening: bytes, closing: bytes) -> None:
    value = opening * (depth - 1) + b"1" + closing * (depth - 1)
    assert code_of(b'{"context":' + value + b"}") == "too-deep"


def test_a_message_never_names_a_class() -> None:
    with pytest.raises(BodyRejected) as refused:
        decoded(b'{"a" 1}', LIMITS)
    assert str(refused.value) == "the body is not valid JSON: expected ':' (byte 5)"


JSON = st.recursive(
    st.none() | st.text(':"\\a', max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.lists(st.tuples(st.sampled_from(["a", "b", ":"]), inner), max_size=3)
    ),
)
"""A JSON value; a list of pairs stands for an object, in which a name may be there twice."""


def text_of(value: object) -> str:
    if isinstance(value, list) and value and isinstance(value[0], tuple):
        return "{" + ", ".join(f"{json.dumps(name)} : {text_of(member)}" for name, member in value) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(text_of, value)) + "]"
    return json.dumps(value)


def repeats(value: object) -> bool:
    if not isinstance(value, list):
        return False
    names = [one[0] for one in value if isinstance(one, tuple)]
    return len(set(names)) < len(names) or any(repeats(one[1] if isinstance(one, tuple) else one) for one in value)


@given(JSON)
def test_a_member_that_is_there_twice_is_found_at_any_place(value: object) -> None:
    body = f'{{"x": {text_of(value)}}}'.encode()
    if repeats(value):
        with pytest.raises(BodyRejected, match="is there twice"):
            decoded(body, LIMITS)
    else:
        assert decoded(body, LIMITS) == json.loads(body)
