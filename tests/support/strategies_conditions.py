"""The conditions of a policy, every section and operator among them."""

from fractions import Fraction
from typing import Any

from tests.support.strategies_instants import EDGES, model_instant, text
from tests.support.strategies_pick import Pick
from tests.support.strategies_values import (
    KEYS,
    NUMBERS,
    PATTERNS,
    RESOURCE_IDS,
    SUBJECT_IDS,
    SUBJECT_TYPES,
    TEXTS,
    TYPE_IDS,
    TYPE_NAMES,
    constant,
)

SECTIONS = ("resource_attrs", "subject_attrs", "action_attrs", "context_attrs")
OPS = ("eq", "eq", "ne", "gt", "gte", "lt", "lte", "in", "nin", "regex")
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
CLOCKS = ("00:00", "00:30", "01:30", "02:00", "02:30", "03:00", "12:00", "22:00", "23:59")
ZONES = (
    "UTC",
    "Europe/Oslo",
    "America/New_York",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
    "Pacific/Kiritimati",
    "Etc/GMT+12",
)
BLOCKS = (
    "10.0.0.0/8",
    "10.0.0.1",
    "10.0.0.0/31",
    "0.0.0.0/0",
    "::ffff:10.0.0.0/104",
    "::ffff:10.0.0.1",
    "::ffff:0:0/96",
    "::fffe:0:0/95",
    "::/0",
    "::1",
    "2001:db8::/32",
    "2001:DB8::1/128",
)
OWN_KEYS = {
    ("resource_attrs", "id"): RESOURCE_IDS,
    ("resource_attrs", "type"): TYPE_IDS + TYPE_NAMES,
    ("subject_attrs", "id"): SUBJECT_IDS,
    ("subject_attrs", "type"): SUBJECT_TYPES,
}


def conditions(pick: Pick, effect: str) -> dict[str, Any]:
    """The conditions of a policy: few attribute conditions, few gates, sometimes none (C1-C10)."""
    found: dict[str, Any] = {
        section: [attribute_condition(pick, section) for _ in range(pick.one((1, 1, 1, 2, 0)))]
        for section in pick.some(SECTIONS, 0, 2)
    }
    gates = pick.one(((), (), ("time_window",), ("ip_allowlist",), ("time_window", "ip_allowlist")))
    if "time_window" in gates:
        found["time_window"] = time_window(pick)
    if "ip_allowlist" in gates:
        found["ip_allowlist"] = pick.some(BLOCKS, 1, 3)
    if effect == "ALLOW" and pick.chance(1, 10):
        found["rate_limit"] = {"limit": pick.number(1, 3), "window_seconds": pick.number(1, 60)}
    return found


def attribute_condition(pick: Pick, section: str) -> dict[str, Any]:
    """One `{key, op, value}`; the entity's own keys are compared with what an id or type may be (E6)."""
    key = pick.one(KEYS + (("time", "ip") if section == "context_attrs" else ()))
    op = pick.one(OPS)
    own = OWN_KEYS.get((section, key))
    if op == "regex":
        value: Any = pick.one(tuple(PATTERNS))
    elif op in ("in", "nin"):
        value = [pick.one(own) if own else constant(pick) for _ in range(pick.one((1, 2, 3, 0)))]
    elif op in ("eq", "ne"):
        value = pick.one(own) if own else constant(pick)
    else:
        value = pick.one(own or pick.one((NUMBERS, TEXTS)))
    return {"key": key, "op": op, "value": value}


def time_window(pick: Pick) -> dict[str, Any]:
    """A window that is never empty: dates, hours or both, in UTC or a zone (C8)."""
    kind = pick.one(("hours", "hours", "dates", "both"))
    window = {} if kind == "hours" else dates(pick)
    window |= {} if kind == "dates" else hours(pick)
    return window | pick.member(3, 4, "timezone", pick.one(ZONES))


def dates(pick: Pick) -> dict[str, str]:
    """`not_before`, `not_after`, or both with an order between them (C8)."""
    kind = pick.one(("not_before", "not_after", "both", "both"))
    if kind == "both":
        first, last = sorted(pick.some(EDGES, 2, 2))
        return {"not_before": text(pick, Fraction(first)), "not_after": text(pick, Fraction(last))}
    extreme = "0001-01-01T00:00:00Z" if kind == "not_before" else "9999-12-31T23:59:59.999999Z"
    return {kind: extreme if pick.chance(1, 5) else model_instant(pick)}


def hours(pick: Pick) -> dict[str, Any]:
    """`days`, `start`, `end`, at least one of them, never an empty stretch (C8)."""
    members = pick.one((("start", "end"), ("days",), ("start",), ("end",), ("days", "start", "end")))
    start, end = pick.some(CLOCKS, 2, 2)
    if members == ("end",) and end == "00:00":
        end = start
    found = {"days": pick.some(DAYS, 1, 4), "start": start, "end": end}
    return {member: found[member] for member in members}
