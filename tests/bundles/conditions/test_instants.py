"""Instants that can't be read: the reasons are Writ's own words, whatever version of Python reads them."""

import pytest
from writ.bundles.conditions.instants import parse_instant

REASONS = {
    "0000-01-01T00:00:00Z": "year 0 is out of range",
    "2034-13-01T00:00:00Z": "month must be in 1..12",
    "2034-00-01T00:00:00Z": "month must be in 1..12",
    "2034-02-29T00:00:00Z": "day is out of range for month",
    "2034-02-00T24:00:00Z": "day is out of range for month",
    "2034-02-28T24:00:00Z": "hour must be in 0..23",
    "2034-02-28T23:60:61Z": "minute must be in 0..59",
    "2034-02-28T23:59:60Z": "second must be in 0..59",
}


@pytest.mark.parametrize("text", REASONS)
def test_the_reason_names_the_part(text: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        parse_instant(text)
    assert str(caught.value) == f"`{text}` is not a date and time: {REASONS[text]}"
