"""The console says a time window in the words of the command line."""

import json
from itertools import chain, combinations, product
from typing import Any

from writ.api.review.wording.window_words import asking_words
from writ.bundles.conditions.windows import DAYS

from tests.api.console.test_modules import FOLDER, NODE, ran

HOURS: list[dict[str, Any]] = [
    {},
    {"start": "07:00"},
    {"end": "18:00"},
    {"start": "09:00", "end": "17:30", "timezone": "Europe/Oslo"},
    {"start": "22:00", "end": "06:00"},
    {"start": "00:00", "end": "24:00"},
]
SPANS: list[dict[str, Any]] = [
    {},
    {"not_before": "2026-01-01T00:00:00Z"},
    {"not_after": "2027-01-01T00:00:00Z"},
    {"not_before": "2026-01-01T00:00:00Z", "not_after": "2027-01-01T00:00:00Z"},
]


def test_each_window_has_the_same_words_in_the_console() -> None:
    days = chain.from_iterable(combinations(DAYS, count) for count in range(1, len(DAYS) + 1))
    windows = [{"days": [*some]} for some in days]
    windows += [hours | span | some for hours, span, some in product(HOURS, SPANS, ({}, {"days": ["sat", "sun"]}))]
    windows = [one for one in windows if one]
    said = ran(str(NODE), FOLDER / "told_windows.js", given=json.dumps(windows)).splitlines()
    assert said == [*map(asking_words, windows)]
