"""Words who gains and who loses by a change: gains first, each with who, when, how many resources, and an example."""

from collections.abc import Iterator, Sequence
from typing import Final

from ....bundles.wording import joined, quoted
from ..wording.plain_values import counted
from ..wording.region_lines import condition_lines, region_lines, subject_words
from .people_answer import ChangedReasons, PeopleAnswer
from .told_together import SHOWN_PAIRS, ToldRegions, region_of

EACH: Final = "each change below happens only"
"""The line before the conditions that all regions share."""

NO_EFFECT: Final = "no effect: nobody gains or loses anything"


def people_lines(found: PeopleAnswer) -> Iterator[str]:
    """Yields the lines of an answer about people."""
    if found.is_empty:
        yield NO_EFFECT
    if found.told.shared:
        yield EACH
        yield from condition_lines(found.told.shared)
    for one in found.told.regions:
        yield from told_lines(found, one)
    yield from unknown_lines(found)
    yield from _reasons(found.reasons)


def told_lines(found: PeopleAnswer, one: ToldRegions, *, with_shared: bool = False) -> Iterator[str]:
    """Yields the lines of regions that are told as one: the subjects, the conditions, and an example.

    The conditions that all changes share are there `with_shared` alone.
    """
    region = region_of(one, found.gains if one.verb == "gains" else found.loses, with_shared=with_shared)
    yield f"{one.verb} {one.pairs}: {subject_words(region)}"
    yield from region_lines(region)


def unknown_lines(found: PeopleAnswer) -> Iterator[str]:
    """Yields a line for each reason for which something is not known."""
    yield from (f"not known: {one.pairs}, because of: {one.reason}" for one in found.told.unknown)


def _reasons(found: Sequence[ChangedReasons]) -> Iterator[str]:
    known = [(one, one.count) for one in found if one.count is not None]
    if known:
        told = [f"{_pair(one)} ({count})" for one, count in known[:SHOWN_PAIRS]]
        cases = counted(sum(count for _, count in known), "case")
        yield f"reasons of denials alone change in {cases}: {joined(_with_rest(told, len(known)), 'and')}"
    unknown = [_pair(one) for one in found if one.count is None]
    if unknown:
        told = _with_rest(unknown[:SHOWN_PAIRS], len(unknown))
        yield f"not counted: changes of reasons alone, of {joined(told, 'and')}"


def _with_rest(shown: list[str], count: int) -> list[str]:
    return [*shown, *([f"{count - len(shown)} more"] if count > len(shown) else [])]


def _pair(one: ChangedReasons) -> str:
    return f"{quoted(one.action)} on {quoted(one.resource_type)}"
