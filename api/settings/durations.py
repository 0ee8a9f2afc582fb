"""Reads durations like `12h`, on the command line and in queries."""

import re
from typing import Final

from ...bundles.signing.sign import DAY
from ...bundles.wording import quoted

_UNITS: Final = {"s": 1, "m": 60, "h": 3_600, "d": DAY}
_DURATION: Final = re.compile(rf"([0-9]{{1,9}})([{''.join(_UNITS)}])")


def read_duration(text: str, most_days: int) -> int:
    """Returns the seconds of a duration: whole seconds, minutes, hours or days, more than none, up to `most_days`.

    Raises ValueError, with one sentence, for any other text.

    >>> read_duration("90s", 7), read_duration("7d", 7)
    (90, 604800)
    """
    found = _DURATION.fullmatch(text)
    seconds = int(found[1]) * _UNITS[found[2]] if found else 0
    if not 0 < seconds <= most_days * DAY:
        raise ValueError(f"{quoted(text)} is not a time like `12h` or `{min(30, most_days)}d`, up to {most_days}d")
    return seconds
