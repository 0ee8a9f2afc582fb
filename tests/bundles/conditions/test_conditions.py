"""What conditions mean, held against the oracle and against the libraries behind them."""

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from zoneinfo import ZoneInfo

import pytest
import re2
from hypothesis import example, given
from hypothesis import strategies as st
from writ.bundles.conditions import patterns
from writ.bundles.conditions.addresses import AddressSet, parse_block, read_address
from writ.bundles.conditions.comparisons import predicate
from writ.bundles.conditions.instants import SECOND, parse_instant, read_instant, seconds_not_before, show_instant
from writ.bundles.conditions.literals import literal_of
from writ.bundles.conditions.operators import TAKES_LIST, Operator
from writ.bundles.conditions.windows import DAYS, TimeWindow, within
from writ.bundles.errors import BundleError
from writ.bundles.program.closure import ancestors

from tests.support import oracle_conditions

SCALARS = st.sampled_from(
    [True, False, 0, 1, -0.0, 1.0, 1.5, 10**400, 1e308, "", "0", "1", "a", "b", "é", "\U0001f600"]
)
CONSTANTS = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=5,
)
VALUES = st.recursive(
    SCALARS | st.sampled_from([None, float("inf"), "\ud800"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=5,
)
TESTS = st.one_of(
    st.tuples(st.sampled_from(["eq", "ne"]), CONSTANTS),
    st.tuples(st.sampled_from(["gt", "gte", "lt", "lte"]), SCALARS.filter(lambda value: not isinstance(value, bool))),
    st.tuples(st.sampled_from(["in", "nin"]), st.lists(CONSTANTS, max_size=4)),
)
PATTERNS = st.sampled_from(
    [
        "",
        "a",
        "^a",
        "a$",
        "^a$",
        "^$",
        "^",
        "$",
        r"a\.b",
        r"\$",
        r"a\\$",
        "a.b",
        "(?i)A",
        r"^a\$",
        r"\^a",
        "é",
        "a|b",
        r"\x61",
        "a.*",
        "^a.*",
        "^.*",
        ".*",
        "^a.*$",
        "a.*.*",
        "a.*?",
        "a*.*",
        "^a\n.*",
        r"a\.*",
        r"a\\.*",
        r"a\\\.*",
        r"^a\$.*",
        "a$.*",
        "(?s)^a.*$",
        "(?i)^A.*",
        r"\Qa.*",
        "^é.*",
    ]
)


@given(test=TESTS, value=VALUES)
def test_a_predicate_is_what_the_oracle_says(test, value):
    """C2 to C5."""
    op, constant = test
    assert predicate(op, constant)(value) is oracle_conditions.compare(op, value, constant)


@given(pattern=PATTERNS, text=st.text(alphabet="aAb.$\\^\né\0", max_size=6))
@example("a$", "a\n")
@example(r"a\.b", "a.b")
@example("^a.*", "a\nb")
@example("^a.*$", "a\n")
@example("^a.*", "\na")
@example(r"^a\.*", "ab")
def test_a_string_operation_is_what_re2_says(pattern, text):
    """C6: equality, prefix, suffix and substring stand in for a search and must not differ from it."""
    assert patterns.pattern_predicate(pattern)(text) is (re2.search(pattern, text) is not None)


@pytest.mark.parametrize("pattern", ["", "a", "^a", "[ab]", "a.b", "(?s).", "^a.*", ".*"])
@pytest.mark.parametrize("value", ["\ud800", "a\ud800b", None, 1, True, ["a"], {}])
def test_what_is_no_text_never_matches(pattern, value):
    """C6, C7: a lone surrogate is no text, for string operations as for RE2."""
    assert patterns.pattern_predicate(pattern)(value) is False


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("^a.*", ("a", "start")),
        ("a.*", ("a", "inside")),
        (".*", ("", "inside")),
        (r"^a\..*", ("a.", "start")),
        (r"a\\.*", ("a\\", "inside")),
        (r"^a\.*", None),
        (r"a\\\.*", None),
        ("^a.*$", None),
        ("a.*.*", None),
        ("a.*?", None),
        ("a*.*", None),
        ("(?s)^a.*", None),
        ("(?i)^a.*", None),
        (r"\Qa.*", None),
        ("a$.*", None),
    ],
)
def test_what_a_pattern_of_plain_text_is(pattern, expected):
    """C6: a `.*` at the end says nothing, if it is an operator."""
    assert literal_of(pattern) == expected


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("(", "RE2 rejects"),
        (r"(a)\1", "RE2 rejects"),
        ("(?=a)", "RE2 rejects"),
        ("a" * 257, "257 characters, the limit is 256"),
        (r"(\pL{3}){10}", "instructions, the limit is 3000"),
        ("\ud800", "surrogate"),
    ],
)
def test_a_pattern_that_is_refused_says_why(pattern, reason):
    """C6."""
    with pytest.raises(ValueError, match=reason):
        patterns.instructions_of(pattern)


@pytest.mark.parametrize("pattern", ["(", "(?=a)", r"(\pL{3}){10}"])
def test_a_bundle_with_a_pattern_that_is_refused_is_damaged(pattern):
    """C6. Plain text needs no automaton, and the laws limit its length."""
    patterns.require_pattern("^plain")
    with pytest.raises(BundleError, match=r"the bundle is damaged: .*(RE2 rejects|instructions)"):
        patterns.require_pattern(pattern)


def test_all_operators_have_a_meaning():
    assert {predicate(op, [] if TAKES_LIST[op] else "a")(None) for op in Operator} == {False}


INSTANTS = st.integers(min_value=parse_instant("0001-01-02T00:00Z"), max_value=parse_instant("9999-12-30T00:00Z"))


@given(instant=INSTANTS)
def test_an_instant_shown_is_read_again(instant):
    assert parse_instant(show_instant(instant)) == instant


@given(instant=INSTANTS, near=st.integers(-3, 3))
def test_a_clock_is_compared_exactly_with_an_expiry(instant, near):
    """P4: for the doubles around an expiry, `now < expiry` is what exact arithmetic says."""
    import math

    bound = seconds_not_before(instant)
    now = bound
    for _ in range(abs(near)):
        now = math.nextafter(now, math.copysign(math.inf, near))
    numerator, denominator = now.as_integer_ratio()
    assert (now < bound) == (numerator * SECOND < instant * denominator)


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-01",
        "2026-01-01T00:00:00",
        "2026-01-01 00:00:00Z",
        "2026-02-30T00:00:00Z",
        "2026-01-01T24:00:00Z",
        "2026-01-01T00:00:60Z",
        "2026-01-01T00:00:00+24:00",
        "2026-01-01T00:00:00+00:60",
        "0001-01-01T00:00:00+01:00",
        "9999-12-31T23:59:59-00:01",
        "２026-01-01T00:00:00Z",
        "2026-01-01T00:00:00." + "1" * 100 + "Z",
        "",
        "now",
    ],
)
def test_what_is_no_instant(text):
    """C8."""
    with pytest.raises(ValueError, match=r"\w"):
        parse_instant(text)
    assert read_instant(text) is None


@pytest.mark.parametrize("value", [True, None, [], {}, float("nan"), float("inf"), 1e300, -1e300, 10**400])
def test_what_a_request_sent_and_is_no_instant(value):
    """C7, C8."""
    assert read_instant(value) is None


ZONES = st.sampled_from(["UTC", "Europe/Oslo", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia"])
WINDOWS = st.builds(
    TimeWindow,
    days=st.frozensets(st.integers(0, 6), min_size=1),
    start=st.integers(0, 1439),
    end=st.integers(0, 1440),
    timezone=ZONES,
).filter(lambda window: window.start != window.end)


@given(window=WINDOWS, seconds=st.integers(0, 4_000_000_000), nanoseconds=st.sampled_from([0, 1, SECOND - 1]))
def test_a_weekly_window_walked_by_hand(window, seconds, nanoseconds):
    """C8: the day on which a window starts is looked for, today and yesterday."""
    zone = ZoneInfo(window.timezone)
    local = datetime.fromtimestamp(seconds, zone).replace(tzinfo=None)
    length = timedelta(
        minutes=(window.end - window.start) if window.end > window.start else window.end + 1440 - window.start
    )
    expected = False
    for back in (0, 1):
        day = datetime(local.year, local.month, local.day) - timedelta(days=back)
        start = day + timedelta(minutes=window.start)
        if day.weekday() in window.days and start <= local < start + length:
            expected = True
    assert within(window, zone, seconds * SECOND + nanoseconds) is expected


def test_a_wall_clock_that_can_not_show_the_instant_is_unreadable():
    window = TimeWindow(days=frozenset({0}), timezone="Pacific/Apia")
    assert within(window, ZoneInfo("Pacific/Apia"), parse_instant("9999-12-31T23:30:00Z")) is None
    assert DAYS[datetime(9999, 12, 31, tzinfo=UTC).weekday()] == "fri"


ADDRESSES = st.one_of(st.ip_addresses(v=4), st.ip_addresses(v=6)).map(str)


@given(address=ADDRESSES, length=st.integers(0, 128), others=st.lists(ADDRESSES, max_size=3))
def test_an_address_set_holds_what_its_blocks_hold(address, length, others):
    """C9."""
    from ipaddress import ip_network

    block = ip_network(f"{address}/{min(length, ip_address(address).max_prefixlen)}", strict=False)
    blocks = [parse_block(str(block)), *map(parse_block, others[1:])]
    held = AddressSet(blocks)
    for candidate in (address, *others):
        read = ip_address(candidate)
        mapped = getattr(read, "ipv4_mapped", None) or read
        expected = any(mapped.version == one.version and mapped in one for one in blocks)
        assert (read_address(candidate) in held) is expected


def test_an_ipv4_mapped_address_is_its_ipv4_one_and_no_ipv6_block_holds_it():
    """C9."""
    assert read_address("::ffff:10.0.0.1") in AddressSet([parse_block("10.0.0.0/8")])
    assert read_address("10.0.0.1") in AddressSet([parse_block("::ffff:10.0.0.0/104")])
    assert read_address("::ffff:10.0.0.1") not in AddressSet([parse_block("::/0")])
    assert read_address("::1") in AddressSet([parse_block("::/0")])


@pytest.mark.parametrize(
    "text",
    [
        "10.0.0.1/8",
        "10.0.0.0/33",
        "10.0.0.0/255.0.0.0",
        "fe80::1%eth0",
        "",
        "host",
        "10.0.0.0/",
        "10.0.0/8",
        "１0.0.0.0/8",
    ],
)
def test_a_block_that_is_refused(text):
    """C9."""
    with pytest.raises(ValueError, match=r"\w"):
        parse_block(text)


@pytest.mark.parametrize("value", ["fe80::1%eth0", "10.0.0.1/8", "1" * 100_000, "010.0.0.1", 167772161, True, None, []])
def test_an_address_that_can_not_be_read(value):
    """C7, C9."""
    assert read_address(value) is None


@given(
    edges=st.dictionaries(st.integers(0, 6), st.frozensets(st.integers(0, 6), max_size=3), max_size=7),
)
def test_the_closure_is_what_walking_finds(edges):
    """P3: cycles included."""
    found = ancestors(edges)
    for node in edges:
        seen, waiting = set(), list(edges[node])
        while waiting:
            above = waiting.pop()
            if above not in seen:
                seen.add(above)
                waiting.extend(edges.get(above, ()))
        assert found[node] == seen
