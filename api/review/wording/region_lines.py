"""Words a region in lines: its subjects, by which roles, when, on how many resources, and an example."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from ....bundles.wording import joined, quoted
from .plain_values import counted, short_value, typed
from .prose import question
from .shown_regions import ShownName, ShownRegion, ShownSubject, ShownUnknown

SHOWN_SUBJECTS: Final = 10
"""The subjects that a line names. It counts the others."""


def region_lines(region: ShownRegion) -> Iterator[str]:
    """Yields the lines below the one that names the subjects: roles, conditions, resources and an example."""
    if region.roles:
        yield f"    by the role{'s' if len(region.roles) > 1 else ''} {joined([*map(quoted, region.roles)], 'or')}"
    yield from condition_lines(region.when)
    if isinstance(region.resource_name, ShownName):
        kind = region.resource_name.kind.replace("_", " ")
        yield f"    if a request names the resource by the {kind} {quoted(region.resource_name.value)}"
    if region.resources is not None:
        yield f"    on {counted(region.resources, 'registered resource')}"
    at = (
        f" At {region.now}."
        if isinstance(region.now, str) and region.now != region.witness["context"].get("time")
        else ""
    )
    yield f"    for example: {question(region.witness)}{_sent(region.witness)}{at}"


def condition_lines(sentences: Iterable[str]) -> Iterator[str]:
    """Yields a line for each of some conditions, all of which must be true."""
    yield from (f"    {'and' if number else 'if'} {sentence}" for number, sentence in enumerate(sentences))


def _sent(request: Mapping[str, Any]) -> str:
    """Returns what a request sends besides its names."""
    bags = [(name, request[name].get("properties", {})) for name in ("subject", "action", "resource")]
    bags.append(("context", request["context"]))
    words = [f"{quoted(f'{owner}.{key}')} {short_value(value)}" for owner, bag in bags for key, value in bag.items()]
    return f" With {joined(words, 'and')}." if words else ""


def subject_words(region: ShownRegion) -> str:
    """Returns the subjects of a region, by name as far as SHOWN_SUBJECTS goes."""
    shown = [_subject(one) for one in region.subjects[:SHOWN_SUBJECTS]]
    left = region.subject_count - len(shown)
    words = [*shown, *([f"{left} more"] if left else [])]
    if region.others:
        words.append("everyone" if region.everyone is True and not words else "everyone else")
    total = f" ({counted(region.subject_count, 'subject')})" if region.subject_count > 1 else ""
    return joined(words, "and") + total


def _subject(one: ShownSubject) -> str:
    known = f" as external id {quoted(one.external_id)}" if isinstance(one.external_id, str) else ""
    return typed(one.type, one.id) + known


def unknown_line(unknown: ShownUnknown) -> str:
    """Returns the line about a part that is not known."""
    return f"not known: {quoted(unknown.action)} on {quoted(unknown.resource_type)}, because of: {unknown.reason}"
