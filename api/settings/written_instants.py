"""Reads the instants that people write: as the option `--now`, and in files of policy tests."""

from typing import Final

from ...bundles.conditions.instants import read_instant
from ...bundles.conditions.values import Json, is_number
from ...bundles.wording import described, quoted

_FIRST_DATE: Final = 1_000
_END_OF_DATES: Final = 100_000_000
"""Whole numbers from _FIRST_DATE to before this one are years, months or days, like 2030 and 20300131.

As seconds, they would be in the years 1970 to 1973.
"""


def instant_fault(value: Json) -> str:
    """Returns what is wrong with an instant, as one sentence, or "" if it is RFC 3339 or epoch seconds.

    >>> instant_fault(2030)
    '`2030` would be seconds after 1970-01-01: write an instant, like `2030-01-31T09:00:00Z`'
    >>> instant_fault("2030-01-31T09:00:00Z"), instant_fault(1893456000)
    ('', '')
    """
    if read_instant(value) is None:
        return f"{described(value)} is neither RFC 3339 (`2027-01-31T09:00:00Z`) nor epoch seconds"
    if is_number(value) and _FIRST_DATE <= value < _END_OF_DATES and value == int(value):
        return f"{quoted(int(value))} would be seconds after 1970-01-01: write an instant, like `2030-01-31T09:00:00Z`"
    return ""
