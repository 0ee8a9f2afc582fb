"""Words the condition of a region: which requests two models answer differently."""

from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address, IPv6Address, summarize_address_range
from typing import Final

from ....bundles.conditions.gates import ADDRESS, INSTANT, V6_START
from ....bundles.conditions.instants import EARLIEST, END, from_seconds, show_instant
from ....bundles.conditions.operators import TAKES_LIST, Operator
from ....bundles.conditions.trees.tree import And, Const, FilterTree, Not, Or, TreeComparison
from ....bundles.conditions.values import Json
from ....bundles.conditions.windows import DAY_MINUTES, DAYS
from ....bundles.wording import joined, quoted
from ....compiler.analysis.conditions.variables import (
    AFTER,
    BEFORE,
    CLOCK,
    GRANT,
    MISSING,
    RATE,
    REGISTERED,
    SAME,
    UNREADABLE,
    YES,
    is_attribute,
    is_now,
    is_week,
    outside,
    parts,
    states_of,
)
from ....compiler.analysis.regions import OWN_ID
from .comparison_words import PREDICATES, about, negated, predicate
from .plain_values import OWNERS, listed, short_pattern, short_value
from .referred_words import predicate_of_reference
from .relation_words import relation_words
from .window_words import days_words

_OR: Final = ", or "
_OWN: Final = "the `id` of the subject"
_REQUEST: Final = "the time of the request"
_MISSING_OR: Final = {
    Operator.EQ: Operator.NE,
    Operator.NE: Operator.EQ,
    Operator.IN: Operator.NIN,
    Operator.NIN: Operator.IN,
}
"""The operator that holds of a present value exactly if the other one does not."""

_ANY_TEXT: Final = (Operator.GTE, "")
"""The comparison that holds for every text."""

_OF_ONE: Final = {Operator.IN: Operator.EQ, Operator.NIN: Operator.NE, Operator.HAS_ANY: Operator.HAS}
"""The operator that says of one value what another one says of a list with this value alone (C5, X6)."""


def region_sentences(when: FilterTree) -> list[str]:
    """Returns the sentences of a condition, all of which must be true. There is none if it is always true.

    >>> from writ.bundles.conditions.trees.tree import TRUE
    >>> draft = TreeComparison("resource_attrs\\0status", Operator.EQ, "draft")
    >>> region_sentences(And((draft, Not(TreeComparison("context_attrs\\0mfa", Operator.EQ, True)))))
    ['the `status` of the resource is "draft"', 'the `mfa` of the context is missing, or has a value other than true']
    >>> region_sentences(TRUE)
    []
    """
    if isinstance(when, And):
        return [_words(child) for child in when.children]
    return [] if when == Const(True) else [_words(when)]


def _words(tree: FilterTree) -> str:
    match tree:
        case And(children):
            return joined([_grouped(child) for child in children], "and")
        case Or(children):
            return "either " + _OR.join(map(_alternative, children))
        case Not(child):
            return _not(child)
        case TreeComparison(key, op, value):
            return _leaf(key, op, value)
        case _:
            return "never"


def _grouped(tree: FilterTree) -> str:
    """Returns the words of a part. It stands in parentheses if its own alternatives would run into those beside it."""
    words = _words(tree)
    return f"({words})" if _OR in words else words


def _alternative(tree: FilterTree) -> str:
    """Returns the words of an alternative. Several conditions stand in parentheses, so that they stay together."""
    found = tree.child if isinstance(tree, Not) else tree
    several = isinstance(found, Or) if isinstance(tree, Not) else isinstance(found, And)
    return f"({_words(tree)})" if several else _grouped(tree)


def _leaf(key: str, op: Operator, value: Json) -> str:
    if is_attribute(key):
        return f"{_attribute(key)} {_holds(op, value)}"
    return _special(key, value)


def _not(child: FilterTree) -> str:
    """Returns the words of a negation. It is said of each comparison: of "a and b", that one of them fails."""
    match child:
        case Not(inner):
            return _words(inner)
        case And(children):
            return _words(Or(tuple(map(Not, children))))
        case Or(children):
            return _words(And(tuple(map(Not, children))))
        case Const(value):
            return _words(Const(not value))
        case TreeComparison(key, op, value) if is_attribute(key):
            return _not_compared(key, op, value)
        case TreeComparison(key, _, values):
            return _special(key, outside(key, values))
    raise AssertionError("a tree has no other nodes")


def _not_compared(key: str, op: Operator, value: Json) -> str:
    name, other = _attribute(key), _MISSING_OR.get(op)
    if op is Operator.NIN and not value:
        return f"{name} is missing"
    if op is Operator.HAS_NONE:
        return f"{name} is missing, or is no list" + (f", or {_holds(Operator.HAS_ANY, value)}" if value else "")
    if (op, value) == _ANY_TEXT:
        return f"{name} is missing, or is no text"
    return f"{name} is missing, or {_holds(other, value) if other else negated(_holds(op, value))}"


def _attribute(key: str) -> str:
    section, name = parts(key)
    return f"the {quoted(name)} of the {OWNERS[section]}"


def _holds(op: Operator, value: Json) -> str:
    """Returns what a comparison says. The mark of the subject's own id becomes its words."""
    if isinstance(value, list) and len(value) == 1 and op in _OF_ONE:
        op, value = _OF_ONE[op], value[0]
    if (op, value) == _ANY_TEXT:
        return "is a text"
    if value == OWN_ID:
        return predicate_of_reference(op, _OWN).holds
    if TAKES_LIST[op] and OWN_ID in value:
        return about(PREDICATES[op], listed([*map(_constant, value)], "or")).holds
    if op is Operator.HAS_NONE and isinstance(value, list) and len(value) == 1:
        return f"is a list that does not contain {_constant(value[0])}"
    if op is Operator.REGEX and isinstance(value, str):
        return about(PREDICATES[op], short_pattern(value)).holds
    return predicate(op, value).holds


def _constant(value: Json) -> str:
    return _OWN if value == OWN_ID else short_value(value)


def _special(key: str, values: Sequence[Json]) -> str:
    spans = [one for one in values if isinstance(one, list)]
    states = [one for one in values if isinstance(one, str)]
    if key == GRANT:
        return f"the subject has {'a' if YES in states else 'no'} direct grant on the resource"
    if key == REGISTERED:
        return f"the resource is {'' if YES in states else 'not '}registered"
    if key == RATE:
        return f"the rate limit is {'not ' if YES in states else ''}reached"
    if key == CLOCK:
        return f"the service's clock is {_or([_span(*map(_clock, span)) for span in spans])}"
    if key == ADDRESS:
        return _address(spans, states)
    if key == INSTANT or is_week(key):
        return f"{_REQUEST} {_or([*_times(key, spans), *_unread(states)])}"
    return _now(key, states) if is_now(key) else relation_words(key, frozenset(states))


def _times(key: str, spans: Sequence[Sequence[int]]) -> list[str]:
    if not outside(key, [*spans, UNREADABLE]):
        return ["can be read"]
    if key == INSTANT:
        return [f"is {_span(*map(_instant, span))}" for span in spans]
    return [f"is {words} ({parts(key)[1]})" for words in [_week(spans)] if words]


def _or(words: Sequence[str]) -> str:
    """Returns alternatives, with commas as between those of other conditions."""
    return _OR.join(words)


def _unread(states: Sequence[str]) -> list[str]:
    return ["can't be read"] if UNREADABLE in states else []


def _clock(seconds: float) -> str | None:
    return None if abs(seconds) == float("inf") else show_instant(min(from_seconds(seconds), END - 1))


def _instant(nanoseconds: int) -> str | None:
    return show_instant(int(nanoseconds)) if EARLIEST < nanoseconds < END else None


def _span(low: str | None, high: str | None) -> str:
    if low is None:
        return "any" if high is None else f"before {high}"
    return f"from {low} on" if high is None else f"from {low} until {high}"


def _week(spans: Sequence[Sequence[int]]) -> str:
    """Returns minutes of the week in words.

    >>> _week([[540, 600], [1980, 2040]])
    'on Monday and Tuesday from 09:00 to 10:00'
    """
    hours: dict[tuple[tuple[int, int], ...], list[str]] = {}
    for number, day in enumerate(DAYS):
        start = number * DAY_MINUTES
        found = tuple(
            (int(max(low - start, 0)), int(min(high - start, DAY_MINUTES)))
            for low, high in spans
            if low < start + DAY_MINUTES and high > start
        )
        if found:
            hours.setdefault(found, []).append(day)
    return _OR.join(f"on {_days(days)}{_hours(found)}" for found, days in hours.items())


def _days(days: Sequence[str]) -> str:
    return "any day" if len(days) == len(DAYS) else days_words(days)


def _hours(found: Sequence[tuple[int, int]]) -> str:
    if list(found) == [(0, DAY_MINUTES)]:
        return ""
    return " " + joined(
        [f"from {low // 60:02}:{low % 60:02} to {high // 60:02}:{high % 60:02}" for low, high in found], "and"
    )


def _address(spans: Sequence[Sequence[int]], states: Sequence[str]) -> str:
    """Returns the words for some addresses: the blocks that they are in, or the fewer ones that they are not in."""
    inside, left_out = (
        [block for low, high in some for block in _blocks(int(low), int(high))]
        for some in (spans, outside(ADDRESS, [*spans, *states_of(ADDRESS)]))
    )
    found = ["is not sent"] if MISSING in states else []
    if len(left_out) < len(inside):
        found += [f"is outside {listed(left_out, 'and')}" if left_out else "can be read"]
    elif inside:
        found += [f"is within {'one of ' if len(inside) > 1 else ''}{listed(inside, 'or')}"]
    return f"the IP address in the context {_or([*found, *_unread(states)])}"


def _blocks(low: int, high: int) -> Iterator[str]:
    """Yields the blocks of addresses between two numbers."""
    if low < V6_START:
        end = min(high, V6_START)
        yield from map(str, summarize_address_range(IPv4Address(low), IPv4Address(end - 1)))
    if high > V6_START:
        start = max(low, V6_START) - V6_START
        yield from map(str, summarize_address_range(IPv6Address(start), IPv6Address(high - V6_START - 1)))


def _now(key: str, states: Sequence[str]) -> str:
    _, section, name = parts(key)
    orders = {BEFORE: "before", SAME: "at", AFTER: "after"}
    words = [word for state, word in orders.items() if state in states]
    found = ["is missing"] if MISSING in states else []
    found += [f"is {joined(words, 'or')} {_REQUEST}"] if words else []
    found += [f"can't be compared with {'it' if words else _REQUEST}"] if UNREADABLE in states else []
    return f"the {quoted(name)} of the {OWNERS[section]} {_or(found)}"
