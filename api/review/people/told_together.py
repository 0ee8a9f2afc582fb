"""Tells regions together that differ by type and action alone, and once the conditions that all regions share."""

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ....bundles.wording import joined, quoted
from ..wording.shown_regions import ShownRegion, ShownUnknown

Pair: TypeAlias = tuple[str, str]
"""The name of a resource type, and an action."""

SHOWN_PAIRS: Final = 10
"""The types and actions that are named of what is not known for one reason. The others are counted."""


class ToldRegions(Struct, frozen=True):
    """Regions of the same subjects under the same conditions, told as one.

    `verb` is `gains` or `loses`, and `regions` are their places in that list. `pairs` has their actions and types in
    words, `when` the conditions that not all changes share, and `resources` the number of all registered resources.
    """

    verb: str
    regions: tuple[int, ...]
    pairs: str
    when: tuple[str, ...]
    resources: int | None


class ToldUnknown(Struct, frozen=True):
    """Parts of a change that are not known for one reason: the actions and types, in words."""

    pairs: str
    reason: str


class Told(Struct, frozen=True):
    """An answer as texts tell it. `shared` are the conditions of all regions, which `regions` leave out."""

    shared: tuple[str, ...] = ()
    regions: tuple[ToldRegions, ...] = ()
    unknown: tuple[ToldUnknown, ...] = ()


def told(gains: Sequence[ShownRegion], loses: Sequence[ShownRegion], unknown: Sequence[ShownUnknown]) -> Told:
    """Returns how some regions, and what is not known, are told."""
    groups = [
        (verb, regions, places)
        for verb, regions in (("gains", gains), ("loses", loses))
        for places in _together(regions)
    ]
    shared = _shared([regions[places[0]].when for _, regions, places in groups])
    as_one = (_as_one(verb, regions, places, shared) for verb, regions, places in groups)
    return Told(tuple(shared), tuple(as_one), tuple(_unknown(unknown)))


def region_of(one: ToldRegions, regions: Sequence[ShownRegion], *, with_shared: bool = False) -> ShownRegion:
    """Returns the first of regions that are told as one, with the resources of all.

    It has the conditions that not all changes share, or with `with_shared` all of its conditions.
    """
    first = regions[one.regions[0]]
    return replace(first, when=first.when if with_shared else one.when, resources=one.resources)


def _together(regions: Sequence[ShownRegion]) -> list[list[int]]:
    """Returns the places of regions, those together that differ by type, action, resources and example alone."""
    found: dict[object, list[int]] = {}
    for place, one in enumerate(regions):
        names = one.subjects, one.subject_count, one.others, one.everyone, one.roles, one.resource_name
        found.setdefault((*names, one.when), []).append(place)
    return [*found.values()]


def _shared(conditions: Sequence[Sequence[str]]) -> list[str]:
    """Returns the sentences that all of several regions have, in their order. One region shares none."""
    if len(conditions) < 2:
        return []
    return [one for one in conditions[0] if all(one in others for others in conditions[1:])]


def _as_one(verb: str, regions: Sequence[ShownRegion], places: Sequence[int], shared: Sequence[str]) -> ToldRegions:
    some = [regions[place] for place in places]
    counts = [one.resources for one in some]
    known = [count for count in counts if count is not None]
    return ToldRegions(
        verb,
        tuple(places),
        pairs_words([(one.resource_type, one.action) for one in some]),
        tuple(one for one in some[0].when if one not in shared),
        sum(known) if len(known) == len(counts) else None,
    )


def _unknown(found: Sequence[ShownUnknown]) -> Iterator[ToldUnknown]:
    by_reason: dict[str, list[Pair]] = {}
    for one in found:
        by_reason.setdefault(one.reason, []).append((one.resource_type, one.action))
    for reason, pairs in by_reason.items():
        shown = pairs[:SHOWN_PAIRS]
        more = f" and {len(pairs) - len(shown)} more" if len(pairs) > len(shown) else ""
        yield ToldUnknown(f"{pairs_words(shown)}{more}", reason)


def pairs_words(pairs: Sequence[Pair]) -> str:
    """Returns actions and their types in words: the actions of a type together, and types with the same actions.

    >>> pairs_words([("note", "read"), ("note", "edit"), ("page", "read"), ("page", "edit"), ("shelf", "read")])
    '`read` and `edit` on `note` and `page`, and `read` on `shelf`'
    """
    actions: dict[str, list[str]] = {}
    for type, action in pairs:
        actions.setdefault(type, []).append(action)
    types: dict[tuple[str, ...], list[str]] = {}
    for type, names in actions.items():
        types.setdefault(tuple(names), []).append(type)
    words = [f"{_names(names)} on {_names(some)}" for names, some in types.items()]
    return ", and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]


def _names(names: Sequence[str]) -> str:
    return joined([*map(quoted, names)], "and")
