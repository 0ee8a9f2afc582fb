"""Reads policies: their effect, roles, types and actions, and the gates of time, address and rate."""

import re
from collections.abc import Mapping
from typing import Any

from ....bundles.conditions.windows import DAYS
from ....bundles.wording import quoted
from ...diagnostics.synonyms import suggest
from ..advice import instant_of_date, twelve_hours
from ..placed import Members, Placed, Reader, array, object_of, said, values
from ..syntax_fault import SyntaxFault
from .statement_clauses import ReadStatement, StatementClause, clause, element, headed, member

_SECTIONS = ("resource_attrs", "subject_attrs", "action_attrs", "context_attrs")
WINDOW = ("not_before", "not_after", "days", "start", "end", "timezone")
"""The members of a time window. Each has its own clause."""

_ADDRESS = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?:/[0-9]+)?")

_UNITS = {"second": 1, "minute": 60, "hour": 3_600, "day": 86_400}
"""The seconds of each unit of a rate limit."""

_SEVERAL_DAYS = {
    **dict.fromkeys(("weekday", "weekdays", "workdays"), "write `mon to fri`"),
    **dict.fromkeys(("weekend", "weekends"), "write `sat, sun`"),
    **dict.fromkeys(("daily", "everyday", "every"), "leave it out: without days, every day counts"),
}


def policy_statement(children: list[Any]) -> ReadStatement:
    """Reads `policy p7 "Editors update drafts"` and its clauses. Raises SyntaxFault without an effect."""
    head, name, label, clauses = headed(children)
    read = element("policies", head, {"id": name, "name": label}, clauses)
    found: Members = read.value.parts
    if "effect" not in found:
        help_text = "add a line such as `allow editor to read document`"
        raise SyntaxFault("the policy neither allows nor denies", name.start, name.end, help_text)
    _nest(found, "time_window", WINDOW)
    _nest(found, "conditions", (*_SECTIONS, "time_window", "ip_allowlist", "rate_limit"))
    return ReadStatement("policies", object_of(found, read.value.start, read.value.end), clauses)


def _nest(found: Members, name: str, inner: tuple[str, ...]) -> None:
    """Moves some members of an object into one that it contains."""
    moved: Members = {one: found.pop(one) for one in inner if one in found}
    if moved:
        start, end = min(key.start for key, _ in moved.values()), max(value.end for _, value in moved.values())
        keyword = next(iter(moved.values()))[0]
        found[name] = (keyword, object_of(moved, start, end))


def description(children: list[Placed]) -> StatementClause:
    """Reads `description` and its lines, each a text in quotes."""
    keyword, *lines = children
    text = "\n".join(line.value for line in lines)
    return clause(keyword, lines[-1], description=Placed(text, lines[0].start, lines[-1].end))


def disabled(children: list[Placed]) -> StatementClause:
    """Reads `disabled`."""
    return clause(children[0], children[0], enabled=said(False, children[0]))


def priority(children: list[Placed]) -> StatementClause:
    """Reads `priority 10`."""
    return clause(children[0], children[1], priority=_whole(children[1]))


def effect(children: list[Any]) -> StatementClause:
    """Reads `allow editor to read document`, perhaps with `except` before a `to` for each type."""
    keyword, who, *found = children
    excepted = found.pop(0) if isinstance(found[0], Placed) else None
    scopes = [scope for scopes in found for scope in scopes]
    members: Members = {"effect": member(said(keyword.value.upper(), keyword))}
    if who.parts is not None:
        members["roles"] = member(who)
    if excepted is not None:
        members["except_roles"] = member(excepted)
    members["resource_types"] = member(array(scopes))
    return StatementClause(keyword, scopes[-1].end, members)


def everyone(children: list[Placed]) -> Placed:
    """Reads `everyone`: the policy has no list of roles."""
    return said(None, children[0])


def roles(children: list[Placed]) -> Placed:
    """Reads a list of roles."""
    return array(values(children))


def exceptions(children: list[Placed]) -> Placed:
    """Reads `except vip, contractor`."""
    return array(values(children))


def scope(children: list[Any]) -> list[Placed]:
    """Reads `to read, update document, folder`: a scope for each type."""
    keyword, (*names, kinds) = children[0], values(children)
    return _scopes(keyword, array(names), kinds)


def scope_of_anything(children: list[Any]) -> list[Placed]:
    """Reads `to do anything to document`."""
    keyword, _, anything, _, kinds = children
    return _scopes(keyword, array([said("*", anything)]), kinds)


def _scopes(keyword: Placed, actions: Placed, kinds: list[Placed]) -> list[Placed]:
    return [
        object_of({"resource_type_id": member(kind), "actions": member(actions)}, keyword.start, kind.end)
        for kind in kinds
    ]


def star(children: list[Placed]) -> Placed:
    """Reads `anything` or `everything`."""
    return said("*", children[0])


def days(children: list[Any]) -> StatementClause:
    """Reads `on mon to fri, sun`."""
    keyword, found = children[0], values(children)
    return clause(keyword, found[-1][-1], days=array([day for run in found for day in run]))


def day(children: list[Placed]) -> list[Placed]:
    """Reads a day, or a run of days such as `mon to fri`. Raises SyntaxFault for a word that is no day in a run."""
    first, last = children[0], children[-1]
    for one in (first, last):
        if one.value not in DAYS:
            raise SyntaxFault(f"{quoted(one.value)} is no day", one.start, one.end, _meant_days(one.value))
    if first is last:
        return [first]
    start, length = DAYS.index(first.value), (DAYS.index(last.value) - DAYS.index(first.value)) % len(DAYS)
    run = [DAYS[(start + step) % len(DAYS)] for step in range(length + 1)]
    return [Placed(one, first.start, last.end) for one in run]


def _meant_days(word: str) -> str:
    first, _, last = word.partition("-")
    if first in DAYS and last in DAYS:
        return f"write {quoted(f'{first} to {last}')}"
    help_text = _SEVERAL_DAYS.get(word.casefold()) or suggest(word, DAYS)
    return help_text or f"write the first three letters, such as {quoted(DAYS[0])}, or a run such as `mon to fri`"


def start_time(children: list[Placed]) -> StatementClause:
    """Reads `from 09:00`."""
    return clause(children[0], children[1], start=_clock(children[1]))


def end_time(children: list[Placed]) -> StatementClause:
    """Reads `until 17:00`."""
    return clause(children[0], children[1], end=_clock(children[1]))


def not_before(children: list[Placed]) -> StatementClause:
    """Reads `from` and an instant."""
    return clause(children[0], children[1], not_before=children[1])


def not_after(children: list[Placed]) -> StatementClause:
    """Reads `until` and an instant."""
    return clause(children[0], children[1], not_after=children[1])


def zone(children: list[Placed]) -> StatementClause:
    """Reads `in Europe/Oslo`. Raises SyntaxFault for an address, which is no zone."""
    place = children[1]
    if _ADDRESS.fullmatch(str(place.value)):
        help_text = f"write {quoted(f'from {place.value}')} for addresses"
        raise SyntaxFault(f"{quoted(place.value)} is no time zone", place.start, place.end, help_text)
    return clause(children[0], children[1], timezone=children[1])


def addresses(children: list[Placed]) -> StatementClause:
    """Reads `from 10.0.0.0/8, 2001:db8::/32`. Raises SyntaxFault for a date, which is no instant."""
    keyword, found = children[0], values(children)
    for one in found:
        if instant := instant_of_date(one.value):
            raise SyntaxFault(f"{quoted(one.value)} is a date without a time", one.start, one.end, instant)
        if clock := twelve_hours(one.value):
            raise SyntaxFault(f"{quoted(one.value)} is no time of day", one.start, one.end, f"write {quoted(clock)}")
    return clause(keyword, found[-1], ip_allowlist=array(found))


def rate(children: list[Placed]) -> StatementClause:
    """Reads `at most 100 times in 1 minute`. Raises SyntaxFault for an unknown unit."""
    keyword, (limit, count, unit) = children[0], values(children)
    seconds = _UNITS.get(unit.value.removesuffix("s"))
    if seconds is None:
        help_text = "write `seconds`, `minutes`, `hours` or `days`"
        raise SyntaxFault(f"{quoted(unit.value)} is no unit of time", unit.start, unit.end, help_text)
    window = Placed(_whole(count).value * seconds, count.start, unit.end)
    members = {"limit": member(_whole(limit)), "window_seconds": member(window)}
    return clause(keyword, unit, rate_limit=object_of(members, limit.start, unit.end))


def _clock(token: Placed) -> Placed:
    """Gives a time of day two digits for the hour."""
    token.value = token.text = token.value.rjust(5, "0")
    return token


def _whole(token: Placed) -> Placed:
    """Reads a whole number. Raises SyntaxFault."""
    try:
        return Placed(int(token.value), token.start, token.end)
    except ValueError:
        raise SyntaxFault(f"{quoted(token.value)} is no whole number", token.start, token.end) from None


READERS: Mapping[str, Reader] = {
    "policy": policy_statement,
    "description": description,
    "disabled": disabled,
    "priority": priority,
    "effect": effect,
    "everyone": everyone,
    "roles": roles,
    "exceptions": exceptions,
    "scope": scope,
    "scope_of_anything": scope_of_anything,
    "covered_types": values,
    "everything": star,
    "any_action": star,
    "days": days,
    "day": day,
    "start_time": start_time,
    "end_time": end_time,
    "not_before": not_before,
    "not_after": not_after,
    "zone": zone,
    "addresses": addresses,
    "rate": rate,
}
"""The readers of policies and their clauses, by the name of the grammar's rule."""
