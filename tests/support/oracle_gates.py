"""The meaning of a request-time gate: instants, time windows, IP allowlists, rate limits (C7-C10)."""

import importlib.resources
import ipaddress
import math
from collections.abc import Collection
from datetime import timedelta
from fractions import Fraction
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

from tests.support.oracle_conditions import Result
from tests.support.oracle_entities import Json, Question
from tests.support.oracle_instants import EPOCH, instant, instant_of_request

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Address = ipaddress.IPv4Address | ipaddress.IPv6Address

GATES = ("time_window", "ip_allowlist", "rate_limit")
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def gate_results(
    conditions: dict[str, Any], effect: str, asked: Question, open_gates: Collection[str] = ()
) -> list[Result]:
    """Each gate as (section, None, None, whether it holds). A gate in `open_gates` is not decided: it counts
    as holding for an ALLOW and as failing for a DENY (C10, F2)."""
    decided = {"time_window": time_holds, "ip_allowlist": address_holds, "rate_limit": rate_holds}
    return [
        (
            gate,
            None,
            None,
            effect == "ALLOW" if gate in open_gates else decided[gate](conditions[gate], effect, asked),
        )
        for gate in GATES
        if gate in conditions
    ]


def time_holds(window: dict[str, Any], effect: str, asked: Question) -> bool:
    """`context.time` when sent, else the clock; a DENY holds on one sent that can't be read (C7, C8)."""
    time = asked.context.get("time")
    inside = in_window(window, instant_of_request(asked))
    return time is not None and effect == "DENY" if inside is None else inside


def address_holds(blocks: list[str], effect: str, asked: Question) -> bool:
    """`context.ip`, or `ip_address` where that is absent; a DENY holds on one that can't be read (C7, C9)."""
    sent = asked.context.get("ip")
    if sent is None:
        sent = asked.context.get("ip_address")
    if sent is None:
        return False
    found = address(sent)
    return effect == "DENY" if found is None else any(found in network(block) for block in blocks)


def rate_holds(limit: dict[str, Any], effect: str, asked: Question) -> bool:
    """False, as it is without counters; `oracle.decide` asks its counters, if it has some (C10)."""
    return False


def in_window(window: dict[str, Any], when: Fraction | None) -> bool | None:
    """Returns whether the instant lies in the window, None where it can't be read; starts in, ends out (C8)."""
    if when is None:
        return None
    dated = ("not_before" not in window or instant(window["not_before"]) <= when) and (
        "not_after" not in window or when < instant(window["not_after"])
    )
    days, start, end = window.get("days", DAYS), window.get("start", "00:00"), window.get("end", "24:00")
    if not dated or (set(days), start, end) == (set(DAYS), "00:00", "24:00"):  # every hour of every day
        return dated
    try:
        local = (EPOCH + timedelta(seconds=math.floor(when))).astimezone(zone(window.get("timezone", "UTC")))
    except OverflowError:
        return None
    return in_hours(window, local.weekday(), f"{local:%H:%M}")


def in_hours(window: dict[str, Any], day: int, clock: str) -> bool:
    """Returns whether a weekday (0 is Monday) and an `HH:MM` fit; past midnight belongs to the day before (C8)."""
    days, start, end = window.get("days", DAYS), window.get("start", "00:00"), window.get("end", "24:00")
    today, yesterday = DAYS[day] in days, DAYS[day - 1] in days
    if start < end:
        return today and start <= clock < end
    return (today and start <= clock) or (yesterday and clock < end)


@cache
def zone(name: str) -> ZoneInfo:
    """The IANA zone as the package tzdata has it, so that no machine's own copy takes part (C8)."""
    place = importlib.resources.files("tzdata").joinpath("zoneinfo", *name.split("/"))
    with place.open("rb") as file:
        return ZoneInfo.from_file(file, key=name)


def address(value: Json) -> Address | None:
    """The address of a text, an IPv4-mapped one as its IPv4; None for anything else, zones too (C9)."""
    if not isinstance(value, str) or "%" in value:
        return None
    try:
        found = ipaddress.ip_address(value)
    except ValueError:
        return None
    return found.ipv4_mapped or found if isinstance(found, ipaddress.IPv6Address) else found


def network(text: str) -> Network:
    """The block of a text (an address is a block of one), an IPv4-mapped one as its IPv4 block (C9)."""
    block = ipaddress.ip_network(text)
    mapped = block.network_address.ipv4_mapped if isinstance(block, ipaddress.IPv6Network) else None
    return ipaddress.ip_network((mapped, block.prefixlen - 96)) if mapped and block.prefixlen >= 96 else block
