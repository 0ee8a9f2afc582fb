"""How deep a body nests, how long its strings and keys are (design: "Limits")."""

import pytest
from writ.api.http.json_limits import check_bounds
from writ.api.http.rejections import BodyRejected
from writ.api.settings.settings import HttpLimits

LIMITS = HttpLimits(nesting=3, string_bytes=8, key_characters=4)


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"a": {"b": {"c": 1}}},
        {"a": [[1, 2], [3]]},
        {"a": "12345678"},
        {"a": "\N{GRINNING FACE}" * 2},
        {"abcd": 1, "\N{GRINNING FACE}" * 4: 2},
        {"a": 10**400},
    ],
)
def test_what_keeps_every_bound_passes(value: dict[str, object]) -> None:
    check_bounds(value, LIMITS)


@pytest.mark.parametrize(
    ("value", "code", "path", "message"),
    [
        ({"a": {"b": {"c": {}}}}, "too-deep", "$.a.b.c", "the body nests deeper than 3 levels"),
        ({"a": [0, [[]]]}, "too-deep", "$.a[1][0]", "the body nests deeper than 3 levels"),
        ({"a": "123456789"}, "string-too-long", "$.a", "a string has 9 bytes, the limit is 8"),
        (
            {"a": ["", "\N{GRINNING FACE}\N{GRINNING FACE}x"]},
            "string-too-long",
            "$.a[1]",
            "a string has 9 bytes, the limit is 8",
        ),
        ({"a": {"abcde": 1}}, "key-too-long", "$.a", "a key has 5 characters, the limit is 4"),
        ({"a b": "123456789"}, "string-too-long", "$['a b']", "a string has 9 bytes, the limit is 8"),
    ],
)
def test_what_breaks_a_bound_is_refused_with_the_numbers(
    value: dict[str, object], code: str, path: str, message: str
) -> None:
    with pytest.raises(BodyRejected) as refused:
        check_bounds(value, LIMITS)
    detail = refused.value.detail
    assert (detail.code, detail.path, detail.message) == (code, path, message)


def test_a_path_shows_only_the_beginning_of_a_long_key() -> None:
    with pytest.raises(BodyRejected) as refused:
        check_bounds({"k" * 200: {"s": "x" * 200}}, HttpLimits(string_bytes=100))
    assert refused.value.detail.path == "$." + "k" * 40 + ".s"
