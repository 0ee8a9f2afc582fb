"""Constants fit their operators."""

from tests.support.diagnosing import compared

CASES = {
    "null": (compared("eq", "null"), [("null-constant", "null")]),
    "null inside": (compared("eq", '{"a": [1, {"b": null}]}'), [("null-constant", "null")]),
    "null in a list": (compared("in", "[null, 1, null]"), [("null-constant", "null"), ("null-constant", "null")]),
    "in without an array": (compared("in", '"a"'), [("wrong-constant", '"a"')]),
    "nin without an array": (compared("nin", "{}"), [("wrong-constant", "{")]),
    "gt with a flag": (compared("gt", "true"), [("wrong-constant", "true")]),
    "lte with an array": (compared("lte", "[1]"), [("wrong-constant", "[")]),
    "gte with a string": (compared("gte", '"a"'), []),
    "lt with a real": (compared("lt", "1.5"), []),
    "regex with a number": (compared("regex", "1"), [("wrong-constant", "1")]),
    "regex that RE2 rejects": (compared("regex", '"a(?=b)"'), [("bad-pattern", '"a(?=b)"')]),
    "regex over 256 characters": (compared("regex", f'"{"a" * 257}"'), [("bad-pattern", f'"{"a" * 257}"')]),
    "regex over 3,000 instructions": (compared("regex", '"((a{30}){30}){4}"'), [("bad-pattern", '"((a{30}){30}){4}"')]),
    "10,000 elements": (compared("in", str(list(range(10_000)))), []),
    "100 large integers": (compared("in", str([2**61 + n for n in range(100)])), []),
    "101 large integers": (compared("nin", str([-(2**61) - n for n in range(101)])), [("too-long", "[")]),
    "10,001 elements": (compared("eq", str(list(range(10_001)))), [("too-long", "[")]),
}


def test_faults_are_found_where_they_are(found, expected):
    assert found == expected


HELP = {
    "null": 'no condition asks for absence: let the application send a value such as `"none"`',
    "in without an array": "put it in an array, or use `eq` or `ne`",
}


def test_help(found_help, expected):
    assert found_help == expected
