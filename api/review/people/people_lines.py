"""Words who gains and who loses by a change: gains first, each with who, when, how many resources, and an example."""

from collections.abc import Iterator, Sequence
from typing import Final

from ....bundles.wording import joined, quoted
from ..wording.plain_values import counted
from ..wording.region_lines import condition_lines, region_lines, subject_words
from ..wording.shown_regions import ShownRegion, ShownUnknown
from .people_answer import ChangedReasons, PeopleAnswer
from .told_together import Pair, pairs_words, shared_conditions, told_together

SHOWN_PAIRS: Final = 10
"""The types and actions that the line of changed reasons names. It counts the others."""

EACH: Final = "each change below happens only"
"""The line before the conditions that all regions share."""

NO_EFFECT: Final = "no effect: nobody gains or loses anything"


def people_lines(found: PeopleAnswer) -> Iterator[str]:
    """Yields the lines of an answer about people."""
    if found.is_empty:
        yield NO_EFFECT
    told = [*told_together("gains", found.gains), *told_together("loses", found.loses)]
    shared = shared_conditions(told)
    if shared:
        yield EACH
        yield from condition_lines(shared)
    for one in told:
        yield from one.lines(shared)
    yield from _unknown(found.unknown)
    yield from _reasons(found.reasons)


def region_text(verb: str, region: ShownRegion) -> Iterator[str]:
    """Yields the lines of a region: the subjects that gain or lose (`verb`), and the conditions with an example."""
    yield f"{verb} {quoted(region.action)} on {quoted(region.resource_type)}: {subject_words(region)}"
    yield from region_lines(region)


def _unknown(found: Sequence[ShownUnknown]) -> Iterator[str]:
    by_reason: dict[str, list[Pair]] = {}
    for one in found:
        by_reason.setdefault(one.reason, []).append((one.resource_type, one.action))
    for reason, pairs in by_reason.items():
        shown = pairs[:SHOWN_PAIRS]
        more = f" and {len(pairs) - len(shown)} more" if len(pairs) > len(shown) else ""
        yield f"not known: {pairs_words(shown)}{more}, because of: {reason}"


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
