"""Tells regions together that differ by type and action alone, and once what all regions share."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from msgspec.structs import replace

from ....bundles.wording import joined, quoted
from ..wording.region_lines import region_lines, subject_words
from ..wording.shown_regions import ShownRegion

Pair: TypeAlias = tuple[str, str]
"""The name of a resource type, and an action."""


@dataclass(frozen=True)
class Together:
    """Regions of the same subjects under the same conditions. `verb` says whether they gain or lose."""

    verb: str
    regions: Sequence[ShownRegion]

    @property
    def one(self) -> ShownRegion:
        """The first region, with the resources of all."""
        counts = [one.resources for one in self.regions]
        known = [count for count in counts if count is not None]
        return replace(self.regions[0], resources=sum(known) if len(known) == len(counts) else None)

    def lines(self, shared: Sequence[str]) -> Iterator[str]:
        """Yields the lines of the regions, without the conditions that all regions share."""
        one = self.one
        pairs = pairs_words([(region.resource_type, region.action) for region in self.regions])
        yield f"{self.verb} {pairs}: {subject_words(one)}"
        yield from region_lines(replace(one, when=tuple(when for when in one.when if when not in shared)))


def told_together(verb: str, regions: Sequence[ShownRegion]) -> list[Together]:
    """Returns regions, those together that differ by their type, action, resources and example alone."""
    found: dict[object, list[ShownRegion]] = {}
    for one in regions:
        names = one.subjects, one.subject_count, one.others, one.everyone, one.roles, one.resource_name
        found.setdefault((*names, one.when), []).append(one)
    return [Together(verb, some) for some in found.values()]


def shared_conditions(told: Sequence[Together]) -> list[str]:
    """Returns the conditions that several regions have, all of them, in their order. One region shares none."""
    if len(told) < 2:
        return []
    return [one for one in told[0].one.when if all(one in other.one.when for other in told[1:])]


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
