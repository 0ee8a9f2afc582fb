"""The next change of a window is the first minute at which `within` says something else (C8, F7)."""

from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from writ.bundles import zones
from writ.bundles.conditions.instants import END, SECOND, parse_instant
from writ.bundles.conditions.window_changes import next_change
from writ.bundles.conditions.windows import DAY_MINUTES, TimeWindow, within

MINUTE = 60 * SECOND
WEEK_AND_A_DAY = 8 * DAY_MINUTES
ZONES = ("UTC", "Europe/Oslo", "America/Sao_Paulo", "Australia/Lord_Howe", "Africa/Casablanca", "Asia/Kathmandu")
TURNS = (
    "2026-03-28T12:00:00Z",  # Oslo: an hour is skipped
    "2026-10-24T12:00:00Z",  # Oslo: an hour comes twice
    "2018-11-03T12:00:00Z",  # Sao Paulo: midnight is skipped
    "2019-02-16T12:00:00Z",  # Sao Paulo: the hour before midnight comes twice
    "2026-04-04T00:00:00Z",  # Lord Howe: half an hour comes twice
    "2026-02-14T00:00:00Z",  # Casablanca, for Ramadan
    "2026-06-01T00:00:30.5Z",
)


def zone_of(window):
    return zones.decode_zone(window.timezone, zones.zone_data(window.timezone))


def slow_next_change(window, instant):
    """The first whole minute after `instant` with another result. Every edge of these windows is a whole minute."""
    zone, first = zone_of(window), instant // MINUTE + 1
    now = within(window, zone, instant)
    minutes = range(first, first + WEEK_AND_A_DAY)
    return next((minute * MINUTE for minute in minutes if within(window, zone, minute * MINUTE) != now), None)


@st.composite
def windows(draw):
    start, end = draw(st.lists(st.integers(0, DAY_MINUTES), min_size=2, max_size=2, unique=True))
    span = draw(st.lists(st.integers(0, WEEK_AND_A_DAY), max_size=2, unique=True).map(sorted))
    first = parse_instant(draw(st.sampled_from(TURNS)))
    not_before, not_after = [*(first // MINUTE * MINUTE + minutes * MINUTE for minutes in span), None, None][:2]
    days = draw(st.frozensets(st.integers(0, 6), min_size=1))
    start %= DAY_MINUTES
    window = TimeWindow(not_before, not_after, days, start, end or DAY_MINUTES, draw(st.sampled_from(ZONES)))
    return window, first


@settings(max_examples=25, deadline=None)
@given(windows().filter(lambda drawn: drawn[0].start != drawn[0].end))
def test_it_is_the_first_minute_with_another_result(drawn):
    window, instant = drawn
    found, slow = next_change(window, zone_of(window), instant), slow_next_change(window, instant)
    if slow is None:  # the slow search looks eight days ahead
        assert found is None or found > instant + (WEEK_AND_A_DAY - 1) * MINUTE
    else:
        assert found == slow


@pytest.mark.parametrize("turn", TURNS)
def test_every_change_around_a_change_of_the_clocks_is_found(turn):
    instant = parse_instant(turn)
    for zone in ZONES:
        for start, end in ((0, 30), (2 * 60 + 15, 2 * 60 + 45), (23 * 60 + 30, 30), (60, 3 * 60), (0, DAY_MINUTES)):
            window = TimeWindow(days=frozenset({5, 6}), start=start, end=end, timezone=zone)
            assert next_change(window, zone_of(window), instant) == slow_next_change(window, instant)


def test_a_span_changes_at_its_ends_to_the_nanosecond():
    window = TimeWindow(not_before=5, not_after=9)
    assert [next_change(window, UTC, instant) for instant in (4, 5, 8, 9)] == [5, 9, 9, None]


def test_a_weekly_window_within_a_span_changes_within_it():
    """From Monday 2026-01-05 at 10:00 until the next day at 9:30, on weekdays from 9 to 17."""
    begin, end = parse_instant("2026-01-05T10:00:00Z"), parse_instant("2026-01-06T09:30:00Z")
    window = TimeWindow(begin, end, frozenset(range(5)), 9 * 60, 17 * 60)
    instants = [begin - SECOND]
    while (found := next_change(window, UTC, instants[-1])) is not None:
        instants.append(found)
    hours = [datetime.fromtimestamp(instant // SECOND, UTC).strftime("%d %H:%M") for instant in instants[1:]]
    assert hours == ["05 10:00", "05 17:00", "06 09:00", "06 09:30"]
    assert all(within(window, UTC, one) != within(window, UTC, other) for one, other in pairwise(instants))


@pytest.mark.parametrize("instant", [END - 1, END - SECOND * 3_600, parse_instant("0001-01-01T00:00:00Z")])
def test_the_ends_of_time_raise_nothing(instant):
    for zone in ZONES:
        window = TimeWindow(days=frozenset({0}), start=60, end=30, timezone=zone)
        found = next_change(window, zone_of(window), instant)
        assert found is None or found > instant
