"""Values of attributes that are compared with each other: one for each, so that all relations hold (X2)."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from ....bundles.conditions.constants import canonical_key
from ....bundles.conditions.values import Json, is_number
from ..conditions.relations import relation

_USUAL: Final[tuple[Json, ...]] = (None, "a", "b", 1, 2, ["a"], ["b"], [])
_ELEMENTS: Final = 3
_MOST_TRIES: Final = 2_000
MOST_VALUES: Final = 60
"""The values of an attribute that are tried."""


class Link(NamedTuple):
    """Two attributes, and the relations that their values may have."""

    left: str
    right: str
    relations: frozenset[str]


def values_beside(values: Iterable[Json]) -> list[Json]:
    """Returns values with their neighbours: numbers before and after, arrays with a value, and elements of arrays.

    >>> values_beside([5])
    [5, 4, 6, [5], [5, 'zz'], None, 'a', 'b', 1, 2, ['a'], ['b'], []]
    """
    found = [one for one in values if one is not None]
    return unique([*found, *(near for one in found for near in _beside(one)), *_USUAL])


def unique(values: Iterable[Json]) -> list[Json]:
    """Returns each value once, in order."""
    return list({canonical_key(one): one for one in values}.values())


def _beside(value: Json) -> Iterator[Json]:
    if isinstance(value, list):
        yield from value[:_ELEMENTS]
        yield []
        return
    if is_number(value):
        yield from (value - 1, value + 1)
    elif isinstance(value, str):
        yield from (f"{value}a", "")
    yield from ([value], [value, "zz"])


def solved(options: Mapping[str, Sequence[Json]], links: Sequence[Link]) -> dict[str, Json] | None:
    """Returns one of the options of each attribute, so that all links hold, or None if none were found."""
    order = _in_order(options, links)
    places = {key: place for place, key in enumerate(order)}
    waiting: dict[str, list[Link]] = defaultdict(list)
    for link in links:
        waiting[max(link.left, link.right, key=places.__getitem__)].append(link)
    chosen: dict[str, Json] = {}
    tries = iter(range(_MOST_TRIES))

    def rest(place: int) -> bool:
        if place == len(order):
            return True
        key = order[place]
        for value in options[key][:MOST_VALUES]:
            if next(tries, None) is None:
                return False
            chosen[key] = value
            fits = all(relation(chosen[one.left], chosen[one.right]) in one.relations for one in waiting[key])
            if fits and rest(place + 1):
                return True
        return False

    return chosen if rest(0) else None


def _in_order(options: Mapping[str, Sequence[Json]], links: Sequence[Link]) -> list[str]:
    """Returns the attributes so that each follows one with which it is compared, those with few options first."""
    found: list[str] = []
    left = sorted(options, key=lambda key: (len(options[key]), key))
    while left:
        beside = {one for link in links for one in link[:2] if found and not {*link[:2]}.isdisjoint(found)}
        key = next((one for one in left if one in beside), left[0])
        left.remove(key)
        found.append(key)
    return found
