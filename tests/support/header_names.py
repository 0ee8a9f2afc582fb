"""Other spellings of a header's name, which some backend reads as the same."""

from typing import Final

SEPARATORS: Final = "-_.!#$%&'*+^`|~"
"""The characters of a header's name (RFC 9110, 5.6.2) that are no letters and no digits."""


def other_forms(name: str) -> list[str]:
    """Returns spellings with each separator in all places, and with those that PHP reads in each place alone.

    >>> other_forms("X-Real-IP")[:1], other_forms("X-Real-IP")[-2:]
    (['X_Real_IP'], ['X-Real_IP', 'X-Real.IP'])
    """
    parts = name.split("-")
    found = [mark.join(parts) for mark in SEPARATORS[1:]]
    if len(parts) > 2:
        places = [("-".join(parts[:first]), "-".join(parts[first:])) for first in range(1, len(parts))]
        found += [before + mark + after for before, after in places for mark in "_."]
    return found
