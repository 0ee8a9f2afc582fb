"""Writes policies as lines of text."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter

from ....bundles.conditions.operators import OPERATORS, Operator
from ....bundles.conditions.references import NOW
from ....bundles.conditions.windows import DAYS
from ...model.elements import Condition, Conditions, Policy, RateLimit, Scope, TimeWindow
from ...model.presence import is_presence
from ..words import written_key, written_name, written_template, written_text
from .constants import commas, constant, names
from .elements import actions, clause, head
from .layout import WRAPPED_INDENT, Line

PRESENCE = ("is", "present")
"""The words for a `nin` with an empty array."""

_OPERATORS = {op: tuple(row.written.split()) for op, row in OPERATORS.items()}
OF_NOW = {Operator.LTE: ("has", "passed"), Operator.GT: ("is", "still", "to", "come")}
"""The words that compare an attribute with `now`, for the operators that have some."""

_SECTIONS = ("resource", "subject", "action", "context")
_UNITS = (("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1))
_ACTIONS = attrgetter("actions")
_SHORTEST_RUN = 3
"""The days that are written as `mon to wed`, at least."""


def policy_lines(policy: Policy) -> Iterator[Line]:
    """Yields the lines of a policy."""
    yield head("policy", policy.id, policy.name)
    if policy.description is not None:
        first, *rest = policy.description.split("\n")
        yield clause("description", written_text(first))
        yield from (Line([written_text(line)], WRAPPED_INDENT) for line in rest)
    if not policy.enabled:
        yield clause("disabled")
    if policy.priority:
        yield clause("priority", str(policy.priority))
    yield from _effect(policy)
    if policy.conditions is not None:
        yield from _conditions(policy.conditions)


def _effect(policy: Policy) -> Iterator[Line]:
    who = ["everyone"] if policy.roles is None else names(policy.roles)
    excepted = [] if policy.except_roles is None else ["except", *names(policy.except_roles)]
    first = [policy.effect.lower(), *who, *excepted]
    scopes = [_scopes(actions, [*scopes]) for actions, scopes in groupby(policy.resource_types, _ACTIONS)]
    if len(scopes) == 1:
        yield clause(*first, *scopes[0])
    else:
        yield clause(*first)
        yield from (clause(*scope) for scope in scopes)


def _scopes(found: tuple[str, ...], scopes: Sequence[Scope]) -> list[str]:
    """Returns the tokens of scopes with the same actions."""
    kinds = (scope.resource_type_id for scope in scopes)
    covered = commas(["everything" if kind == "*" else written_name(kind)] for kind in kinds)
    if found == ("*",):
        return ["to", "do", "anything", "to", *covered]
    return ["to", *actions(found), *covered]


def _conditions(conditions: Conditions) -> Iterator[Line]:
    word = "when"
    for section in _SECTIONS:
        for condition in getattr(conditions, f"{section}_attrs") or ():
            yield clause(word, *comparison(section, condition))
            word = "and"
    if conditions.time_window is not None:
        yield clause(*window(conditions.time_window))
    if conditions.ip_allowlist is not None:
        yield clause(*allowlist(conditions.ip_allowlist))
    if conditions.rate_limit is not None:
        yield clause(*rate(conditions.rate_limit))


def comparison(section: str, condition: Condition) -> Iterator[str]:
    """Yields the tokens of a comparison. `section` is the word for what has the attribute, like `resource`."""
    yield f"{section}.{written_key(condition.key)}"
    if is_presence(condition):
        yield from PRESENCE
        return
    if condition.value_of == NOW and condition.op in OF_NOW:
        yield from OF_NOW[condition.op]
        return
    yield from _OPERATORS[condition.op]
    if condition.value_of == NOW:
        yield NOW
    elif condition.value_of is None:
        yield from constant(condition.value)
    else:
        source, _, key = condition.value_of.partition(".")
        yield f"{source}.{written_key(key)}"


def window(said: TimeWindow) -> Iterator[str]:
    """Yields the tokens of a time window."""
    if said.days is not None:
        yield from ("on", *commas(_days(said.days)))
    starts = (("from", said.start), ("until", said.end), ("from", said.not_before), ("until", said.not_after))
    for word, value in starts:
        if value is not None:
            yield from (word, value)
    if said.timezone is not None:
        yield from ("in", written_name(said.timezone))


def _days(days: Sequence[str]) -> Iterator[list[str]]:
    """Yields the days, with `to` for days that follow each other.

    >>> [*_days(["mon", "tue", "wed", "sat", "sun"])]
    [['mon', 'to', 'wed'], ['sat'], ['sun']]
    """
    at = 0
    while at < len(days):
        end = at + 1
        while end < len(days) and end - at < len(DAYS) and _follows(days[end - 1], days[end]):
            end += 1
        if end - at >= _SHORTEST_RUN:
            yield [days[at], "to", days[end - 1]]
        else:
            yield from ([day] for day in days[at:end])
        at = end


def _follows(day: str, next_day: str) -> bool:
    return (DAYS.index(day) + 1) % len(DAYS) == DAYS.index(next_day)


def allowlist(blocks: Sequence[str]) -> list[str]:
    """Returns the tokens of a list of addresses and blocks."""
    return ["from", *commas([written_template(block)] for block in blocks)]


def rate(said: RateLimit) -> list[str]:
    """Returns the tokens of a rate limit."""
    unit, seconds = next((unit, seconds) for unit, seconds in _UNITS if said.window_seconds % seconds == 0)
    count = said.window_seconds // seconds
    return ["at", "most", str(said.limit), "times", "in", str(count), unit if count == 1 else f"{unit}s"]
