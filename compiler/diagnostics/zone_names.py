"""Suggests a time zone for an abbreviation, an offset or a city."""

from difflib import get_close_matches
from functools import lru_cache

from ...bundles.wording import MAX_COMPARED_CHARACTERS, quoted

_NEAR = 0.75
"""The likeness that a city shall have to be suggested: with less, it is another one."""

_REMEMBERED_NAMES = 1_024
_ABBREVIATIONS = {
    "CET": "Europe/Berlin",
    "CEST": "Europe/Berlin",
    "MEZ": "Europe/Berlin",
    "MESZ": "Europe/Berlin",
    "EET": "Europe/Helsinki",
    "EEST": "Europe/Helsinki",
    "WET": "Europe/Lisbon",
    "WEST": "Europe/Lisbon",
    "BST": "Europe/London",
    "MSK": "Europe/Moscow",
    "TRT": "Europe/Istanbul",
    "EST": "America/New_York",
    "EDT": "America/New_York",
    "ET": "America/New_York",
    "CST": "America/Chicago",
    "CDT": "America/Chicago",
    "CT": "America/Chicago",
    "MST": "America/Denver",
    "MDT": "America/Denver",
    "PST": "America/Los_Angeles",
    "PDT": "America/Los_Angeles",
    "PT": "America/Los_Angeles",
    "AKST": "America/Anchorage",
    "AST": "America/Halifax",
    "ADT": "America/Halifax",
    "BRT": "America/Sao_Paulo",
    "IST": "Asia/Kolkata",
    "PKT": "Asia/Karachi",
    "ICT": "Asia/Bangkok",
    "WIB": "Asia/Jakarta",
    "SGT": "Asia/Singapore",
    "HKT": "Asia/Hong_Kong",
    "JST": "Asia/Tokyo",
    "KST": "Asia/Seoul",
    "AEST": "Australia/Sydney",
    "AEDT": "Australia/Sydney",
    "ACST": "Australia/Adelaide",
    "AWST": "Australia/Perth",
    "NZST": "Pacific/Auckland",
    "NZDT": "Pacific/Auckland",
    "SAST": "Africa/Johannesburg",
    "EAT": "Africa/Nairobi",
    "WAT": "Africa/Lagos",
    "Z": "UTC",
}
"""A large zone for each abbreviation, which says the time of a season, and is often used in several places."""


@lru_cache(_REMEMBERED_NAMES)
def suggest_zone(name: str, known: frozenset[str]) -> str:
    """Returns help for an unknown time zone, by its city. `known` are the names of all zones.

    >>> suggest_zone("CEST", frozenset(("EST", "Europe/Berlin"))), suggest_zone("oslo", frozenset(("Europe/Oslo",)))
    ('write a zone by a city in it, such as `Europe/Berlin`', 'did you mean `Europe/Oslo`?')
    >>> suggest_zone("UTC+2", frozenset(("UTC", "Europe/Berlin")))
    'write a zone by a city in it, such as `Europe/Berlin`: an offset does not follow the seasons'
    """
    zone = _ABBREVIATIONS.get(name.upper())
    if zone in known:
        return f"write a zone by a city in it, such as {quoted(zone)}"
    if name.startswith(("+", "-")) or (any(mark in name for mark in "+-") and any(map(str.isdigit, name))):
        return "write a zone by a city in it, such as `Europe/Berlin`: an offset does not follow the seasons"
    city = name.casefold().rpartition("/")[2].replace(" ", "_")
    cities = {one.casefold().rpartition("/")[2]: one for one in sorted(known, reverse=True)}
    near = get_close_matches(city, cities, n=1, cutoff=_NEAR) if len(city) <= MAX_COMPARED_CHARACTERS else []
    return (
        f"did you mean {quoted(cities[near[0]])}?"
        if near
        else "write a zone by a large city in it, such as `Europe/Berlin`"
    )
