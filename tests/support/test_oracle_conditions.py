"""The oracle against examples worked by hand from the rules: attribute conditions and gates."""

from datetime import datetime
from typing import Any

import pytest

from tests.support.oracle_conditions import compare, read
from tests.support.oracle_entities import Entity, Question
from tests.support.oracle_gates import address_holds, gate_results, in_window, time_holds
from tests.support.oracle_instants import instant
from tests.support.strategies_values import PATTERNS, deep

MISSING = None


def at(text: str) -> Any:
    """The instant of a text that can be read."""
    found = instant(text)
    assert found is not None
    return found


def with_context(now: float = 0.0, **context: Any) -> Question:
    """A question of which only the clock and the context matter."""
    entity = Entity("user", "a", {})
    return Question(entity, entity, None, "read", {}, context, now)


@pytest.mark.parametrize(
    ("attributes", "key", "value"),
    [
        ({"a.b": 1, "a": {"b": 2}}, "a.b", 1),
        ({"a": {"b": 2}}, "a.b", 2),
        ({"a.b": None, "a": {"b": 2}}, "a.b", 2),
        ({"a.b": {"c": 1}}, "a.b.c", MISSING),
        ({"a": {"b.c": 1}}, "a.b.c", MISSING),
        ({"a": {"": {"b": 3}}}, "a..b", 3),
        ({"a": {"b": None}}, "a.b", MISSING),
        ({"a": "text"}, "a.b", MISSING),
        ({"a": [{"b": 1}]}, "a.b", MISSING),
        ({"a": None}, "a.b", MISSING),
        ({"a": False}, "a", False),
    ],
)
def test_c1_c2_the_whole_key_then_the_path(attributes: dict[str, Any], key: str, value: Any) -> None:
    """C1, C2, C7."""
    assert read(attributes, key) is value or read(attributes, key) == value


@pytest.mark.parametrize("op", ["eq", "ne", "gt", "gte", "lt", "lte", "in", "nin", "regex"])
def test_c2_every_comparison_with_an_absent_attribute_is_false(op: str) -> None:
    """C2."""
    assert compare(op, None, [] if op in ("in", "nin") else "") is False


@pytest.mark.parametrize(
    ("value", "constant", "equal"),
    [
        (1, 1.0, True),
        (True, 1, False),
        (0, False, False),
        ("1", 1, False),
        ("", [], False),
        ([], {}, False),
        (-0.0, 0, True),
        (2**53 + 1, float(2**53), False),
        (10**400, 1e308, False),
        ([1, [True]], [1.0, [True]], True),
        ([True], [1], False),
        ({"a": 1, "b": 2}, {"b": 2.0, "a": 1}, True),
        ({"a": True}, {"a": 1}, False),
        ({"a": None}, {}, False),
        ([None], [], False),
        ([None], [None], False),
        ("\u00e9", "e\u0301", False),
        (deep("["), [[["bottom"]]], False),
        (deep("{"), {"a": 1}, False),
    ],
)
def test_c3_eq_and_ne(value: Any, constant: Any, equal: bool) -> None:
    """C3: present and not `eq` is `ne`."""
    assert compare("eq", value, constant) is equal
    assert compare("ne", value, constant) is not equal


@pytest.mark.parametrize(
    ("value", "op", "constant", "holds"),
    [
        (1, "gte", 1.0, True),
        (10**400, "gt", 1e308, True),
        (2**53 + 1, "lte", float(2**53), False),
        (True, "gte", 0, False),
        (True, "lt", 2, False),
        ("2", "gt", 1, False),
        (2, "gt", "1", False),
        ("\U0001f600", "gt", "\uffff", True),
        ("B", "lt", "a", True),
        ("a", "lte", "a\x00", True),
        ([2], "gt", 1, False),
    ],
)
def test_c4_order(value: Any, op: str, constant: Any, holds: bool) -> None:
    """C4: number with number, string with string by code point."""
    assert compare(op, value, constant) is holds


@pytest.mark.parametrize(
    ("value", "constant", "inside"),
    [
        (1, [True, 1.0], True),
        (1, [], False),
        ([1], [1, [2]], False),
        ([1], [[1.0]], True),
        ([], [[]], True),
        (False, [0, "", []], False),
    ],
)
def test_c5_in_and_nin(value: Any, constant: list[Any], inside: bool) -> None:
    """C5: the attribute as a whole."""
    assert compare("in", value, constant) is inside
    assert compare("nin", value, constant) is not inside


@pytest.mark.parametrize(
    ("pattern", "value", "found"),
    [
        ("b", "abc", True),
        ("^b$", "a\nb", False),
        ("^a$", "a\n", False),
        ("a.b", "a\nb", False),
        ("(?i)k", "\u212a", True),
        ("", "", True),
        ("1", 1, False),
        ("", ["a"], False),
        ("", "\ud800", False),
        ("a", "a\udfff", False),
        ("\\x00", "a\x00", True),
    ],
)
def test_c6_regex(pattern: str, value: Any, found: bool) -> None:
    """C6, C7: unanchored, in a string that can be read."""
    assert compare("regex", value, pattern) is found


def test_c6_each_pattern_is_found_in_its_text() -> None:
    """C6."""
    assert all(compare("regex", text, pattern) for pattern, text in PATTERNS.items())


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01t01:00+01:00", 0),
        ("1969-12-31T19:00:00.5-05:00", 0.5),
        ("1970-01-01T00:00:00-00:00", 0),
        (1.5, 1.5),
        (-62135596800, -62135596800),
        (253402300799, 253402300799),
        ("9999-12-31T23:59:59.999999Z", 253402300800 - 2**-20),
        ("1970-01-01T00:00:00." + "0" * 43 + "z", 0),  # 64 characters, as many as are read
    ],
)
def test_c8_an_instant_that_can_be_read(value: Any, seconds: float) -> None:
    """C8."""
    assert abs(instant(value) - seconds) < 1e-6


@pytest.mark.parametrize(
    "value",
    [
        True,
        None,
        [],
        "",
        "0",
        "2024-01-01",
        "2024-01-01T00:00:00",
        "2024-01-01 00:00:00Z",
        "2024-06-30T23:59:60Z",
        "2024-01-01T24:00:00Z",
        "2023-02-29T00:00:00Z",
        "2024-01-01T00:00:00+24:00",
        "2024-01-01T00:00:00Z\n",
        "1970-01-01T00:00:00." + "0" * 44 + "z",
        "\uff12\uff10\uff12\uff14-01-01T00:00:00Z",
        "0001-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-00:01",
        -62135596801,
        253402300800,
        10**400,
        1e308,
        float("inf"),
        float("nan"),
    ],
)
def test_c8_an_instant_that_cannot_be_read(value: Any) -> None:
    """C7, C8: an ALLOW fails on it, a DENY holds; null is not sent, so the clock counts."""
    assert instant(value) is None
    question = with_context(time=value)
    assert time_holds({"start": "00:00"}, "ALLOW", question) is (value is None)
    assert time_holds({"start": "00:00"}, "DENY", question) is True


@pytest.mark.parametrize(
    ("window", "time", "inside"),
    [
        ({"not_before": "2024-01-01T00:00:00Z"}, "2024-01-01T01:00:00+01:00", True),
        ({"not_before": "2024-01-01T00:00:00Z"}, "2023-12-31T23:59:59.999999999Z", False),
        ({"not_after": "2024-01-01T00:00:00Z"}, "2024-01-01T00:00:00Z", False),
        ({"not_after": "2024-01-01T00:00:00Z"}, "2023-12-31T23:59:59.999999999Z", True),
        ({"start": "09:00", "end": "17:00"}, "2024-01-01T09:00:00Z", True),
        ({"start": "09:00", "end": "17:00"}, "2024-01-01T17:00:00Z", False),
        ({"start": "09:00", "end": "17:00"}, "2024-01-01T16:59:59.9Z", True),
        ({"start": "23:00"}, "2024-01-01T23:59:59Z", True),
        ({"end": "00:30"}, "2024-01-01T00:29:59Z", True),
        ({"days": ["mon"]}, "2024-01-01T23:59:59Z", True),
        ({"days": ["mon"]}, "2024-01-02T00:00:00Z", False),
        ({"days": ["mon"], "timezone": "Asia/Kathmandu"}, "2024-01-01T18:15:00Z", False),
        ({"days": ["mon"], "start": "22:00", "end": "02:00"}, "2024-01-01T01:00:00Z", False),
        ({"days": ["mon"], "start": "22:00", "end": "02:00"}, "2024-01-01T22:00:00Z", True),
        ({"days": ["mon"], "start": "22:00", "end": "02:00"}, "2024-01-02T01:59:59Z", True),
        ({"days": ["mon"], "start": "22:00", "end": "02:00"}, "2024-01-02T02:00:00Z", False),
        ({"days": ["sun"], "start": "22:00", "end": "02:00"}, "2024-01-01T01:00:00Z", True),
        ({"start": "22:00", "end": "00:00"}, "2024-01-01T00:00:00Z", False),
        ({"not_before": "2024-01-02T00:00:00Z", "end": "12:00"}, "2024-01-01T01:00:00Z", False),
    ],
)
def test_c8_time_window(window: dict[str, Any], time: str, inside: bool) -> None:
    """C8."""
    assert in_window(window, at(time)) is inside


@pytest.mark.parametrize(
    ("zone", "start", "end", "time", "inside"),
    [
        ("Europe/Oslo", "02:00", "03:00", "2024-03-31T00:59:59Z", False),  # 01:59:59, then 03:00
        ("Europe/Oslo", "02:00", "03:00", "2024-03-31T01:00:00Z", False),
        ("Europe/Oslo", "02:30", "03:00", "2024-10-27T00:30:00Z", True),  # 02:30 comes twice
        ("Europe/Oslo", "02:30", "03:00", "2024-10-27T01:15:00Z", False),
        ("Europe/Oslo", "02:30", "03:00", "2024-10-27T01:30:00Z", True),
        ("America/New_York", "02:00", "03:00", "2024-03-10T07:00:00Z", False),
        ("America/New_York", "01:00", "02:00", "2024-11-03T06:30:00Z", True),
        ("Australia/Lord_Howe", "02:00", "02:30", "2024-10-05T15:30:00Z", False),  # half an hour
        ("Australia/Lord_Howe", "01:30", "02:00", "2024-04-06T15:29:59Z", True),
        ("Australia/Lord_Howe", "01:30", "02:00", "2024-04-06T15:30:00Z", False),
    ],
)
def test_c8_daylight_saving(zone: str, start: str, end: str, time: str, inside: bool) -> None:
    """C8: the wall clock decides, whatever it jumps over or repeats."""
    assert in_window({"start": start, "end": end, "timezone": zone}, at(time)) is inside


def test_c8_a_zone_that_leaves_the_range_makes_the_window_unreadable() -> None:
    """C7, C8: only where the window needs the wall clock; the clock itself is not sent."""
    first, last = "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"
    west, east = {"timezone": "America/New_York"}, {"timezone": "Pacific/Kiritimati"}
    assert in_window(west | {"start": "00:01"}, at(first)) is None
    assert in_window(east | {"start": "00:01"}, at(last)) is None
    assert in_window(east | {"start": "00:00", "days": ["mon"]}, at(last)) is None
    assert in_window(east | {"start": "00:00"}, at(last)) is True, "every hour of every day"
    assert in_window(east | {"not_before": first}, at(last)) is True
    assert time_holds(east | {"start": "00:01"}, "DENY", with_context(time=last)) is True
    assert time_holds(east | {"start": "00:01"}, "DENY", with_context(now=253402300799.0)) is False


def test_c8_context_time_before_the_clock() -> None:
    """C8, C2: a null is not sent."""
    window, clock = {"not_before": "2024-01-01T00:00:00Z"}, datetime.fromisoformat("2024-01-01T00:00:00+00:00")
    now = clock.timestamp()
    assert time_holds(window, "ALLOW", with_context(now)) is True
    assert time_holds(window, "ALLOW", with_context(now, time=None)) is True
    assert time_holds(window, "ALLOW", with_context(now, time=0)) is False


@pytest.mark.parametrize(
    ("block", "address", "inside"),
    [
        ("10.0.0.0/8", "10.255.0.1", True),
        ("10.0.0.0/8", "::ffff:10.0.0.1", True),
        ("::ffff:10.0.0.0/104", "10.1.2.3", True),
        ("::ffff:10.0.0.1", "::FFFF:a00:1", True),
        ("::ffff:0:0/96", "1.2.3.4", True),
        ("::/0", "10.0.0.1", False),
        ("::/0", "::ffff:10.0.0.1", False),
        ("::fffe:0:0/95", "::ffff:10.0.0.1", False),
        ("0.0.0.0/0", "::10.0.0.1", False),
        ("::/0", "::10.0.0.1", True),
        ("2001:DB8::1", "2001:db8:0::1", True),
    ],
)
def test_c9_ip_allowlist(block: str, address: str, inside: bool) -> None:
    """C9."""
    assert address_holds([block], "ALLOW", with_context(ip=address)) is inside
    assert address_holds(["192.0.2.1", block], "DENY", with_context(ip_address=address, ip=None)) is inside


@pytest.mark.parametrize(
    "ip", ["", "10.0.0", "010.0.0.1", "10.0.0.1/32", "fe80::1%1", "10.0.0.1 ", 167772161, False, {}]
)
def test_c7_an_address_that_cannot_be_read(ip: Any) -> None:
    """C7, C9: it hides `ip_address`, fails an ALLOW and switches no DENY off."""
    question = with_context(ip=ip, ip_address="10.0.0.1")
    assert address_holds(["10.0.0.1"], "ALLOW", question) is False
    assert address_holds(["192.0.2.1"], "DENY", question) is True


def test_c7_nothing_sent_is_false_for_a_deny_too() -> None:
    """C7, C9."""
    assert address_holds(["0.0.0.0/0"], "DENY", with_context(ip=None)) is False


def test_c10_f2_gates_without_counters_and_left_open() -> None:
    """C10, F2: an open gate counts as holding for an ALLOW and as failing for a DENY."""
    gates = {"rate_limit": {"limit": 9, "window_seconds": 1}, "ip_allowlist": ["0.0.0.0/0"]}
    question = with_context(ip="10.0.0.1")
    assert [held for *_, held in gate_results(gates, "ALLOW", question)] == [True, False]
    assert [held for *_, held in gate_results(gates, "ALLOW", question, ("rate_limit",))] == [True, True]
    assert [
        held for *_, held in gate_results({"ip_allowlist": ["0.0.0.0/0"]}, "DENY", question, ("ip_allowlist",))
    ] == [False]
