"""The limits of the HTTP service: a named value each, with the environment variable that changes it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


class BadSetting(ValueError):
    """A value in the environment that can't be used; the message is one sentence that names the variable."""


@dataclass(frozen=True, slots=True)
class HttpLimits:
    """What one client may ask of the service at most (design: "Limits").

    `batch_items` bounds decisions and elements alike. `connections` is per worker process. A body may take longer than
    `body_seconds` while it comes at `body_rate` bytes a second on average, with no pause of `body_seconds`.
    `idle_seconds` is how long a connection may wait between two requests. `failed_attempts` are those of one address in
    a minute, over all workers.
    """

    body_bytes: int = 1024 * 1024
    nesting: int = 32
    string_bytes: int = 64 * 1024
    key_characters: int = 256
    batch_items: int = 1_000
    explained_candidates: int = 10_000
    model_bytes: int = 256 * 1024 * 1024
    page_items: int = 1_000
    search_candidates: int = 20_000
    failed_attempts: int = 300
    connections: int = 4_096
    head_seconds: float = 10.0
    body_seconds: float = 30.0
    body_rate: int = 32 * 1024
    idle_seconds: float = 75.0


# Variable -> (limit, highest value). The JSON parser itself gives up a little below 1,000 levels; the store takes no
# longer page, and the compiler no longer document.
_COUNTS: Final = {
    "WRIT_MAX_BODY_BYTES": ("body_bytes", 2**30),
    "WRIT_MAX_NESTING": ("nesting", 500),
    "WRIT_MAX_STRING_BYTES": ("string_bytes", 2**30),
    "WRIT_MAX_KEY_CHARACTERS": ("key_characters", 2**20),
    "WRIT_MAX_BATCH_ITEMS": ("batch_items", 1_000_000),
    "WRIT_MAX_EXPLAINED_CANDIDATES": ("explained_candidates", 10_000_000),
    "WRIT_MAX_MODEL_BYTES": ("model_bytes", 256 * 2**20),
    "WRIT_MAX_PAGE_ITEMS": ("page_items", 1_000),
    "WRIT_MAX_SEARCH_CANDIDATES": ("search_candidates", 10_000_000),
    "WRIT_MAX_FAILED_ATTEMPTS": ("failed_attempts", 1_000_000),
    "WRIT_MAX_CONNECTIONS": ("connections", 1_000_000),
    "WRIT_MIN_BODY_RATE": ("body_rate", 2**30),
}
_SECONDS: Final = {
    "WRIT_HEAD_SECONDS": "head_seconds",
    "WRIT_BODY_SECONDS": "body_seconds",
    "WRIT_IDLE_SECONDS": "idle_seconds",
}
_LONGEST_SECONDS: Final = 86_400.0


def limits_from(environment: Mapping[str, str]) -> HttpLimits:
    """The limits that `environment` asks for, the defaults where it says nothing.

    Raises:
        BadSetting: a value is no number, or lies outside the variable's range.

    >>> limits_from({"WRIT_MAX_BATCH_ITEMS": "5"}).batch_items
    5
    """
    changed: dict[str, float] = {}
    for variable, (field, highest) in _COUNTS.items():
        if variable in environment:
            changed[field] = count_in(variable, environment[variable], highest)
    for variable, field in _SECONDS.items():
        if variable in environment:
            changed[field] = seconds_in(variable, environment[variable])
    return HttpLimits(**changed)  # type: ignore[arg-type]  # counts are int, seconds float: see the tables


def count_in(variable: str, text: str, highest: int) -> int:
    """The count, 1 at least, that a variable of the environment says. Raises BadSetting."""
    if not (text.isascii() and text.isdigit() and len(text) <= 18 and 1 <= int(text) <= highest):
        raise BadSetting(f"`{variable}` must be a whole number from 1 to {highest}, not `{text}`")
    return int(text)


def seconds_in(variable: str, text: str) -> float:
    """The seconds that a variable of the environment says. Raises BadSetting."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.0 < value <= _LONGEST_SECONDS:
        raise BadSetting(f"`{variable}` must be seconds above 0 and up to {_LONGEST_SECONDS:.0f}, not `{text}`")
    return value
