"""The minutes of the week that a window covers, beside the question about one minute (C8)."""

from itertools import product

import pytest
from writ.bundles.conditions.windows import DAY_MINUTES, WEEK_MINUTES, TimeWindow, covers, week_spans

HOURS = (0, 1, 9 * 60, 17 * 60 + 30, DAY_MINUTES - 1)
DAYS = (frozenset({0}), frozenset({6}), frozenset({2, 3, 6}), frozenset(range(7)))


@pytest.mark.parametrize(("days", "start", "end"), list(product(DAYS, HOURS, (*HOURS[1:], DAY_MINUTES))))
def test_spans_have_the_minutes_that_the_window_covers(days: frozenset[int], start: int, end: int) -> None:
    """Windows that end on the next day, begin on Sunday, or start when they end."""
    window = TimeWindow(days=days, start=start, end=end)
    spans = list(week_spans(window))
    listed = {minute for low, high in spans for minute in range(low, high)}
    assert listed == {at for at in range(WEEK_MINUTES) if covers(window, *divmod(at, DAY_MINUTES))}
