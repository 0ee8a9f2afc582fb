"""Words who gains and who loses by a change: gains first, each with who, when, how many resources, and an example."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ....bundles.wording import joined
from ..wording.plain_values import counted, named, short_value
from ..wording.prose import question
from ..wording.shown_regions import ShownName, ShownRegion, ShownSubject
from .people_answer import PeopleAnswer

SHOWN_SUBJECTS: Final = 10
"""The subjects that a line names. It counts the others."""

NO_EFFECT: Final = "no effect: nobody gains or loses anything"


def people_lines(found: PeopleAnswer) -> Iterator[str]:
    """Yields the lines of an answer about people."""
    if found.is_empty:
        yield NO_EFFECT
        return
    for regions, verb in ((found.gains, "gains"), (found.loses, "loses")):
        for region in regions:
            yield from _region(region, verb)
    for unknown in found.unknown:
        yield f"not known: {named(unknown.action)} on {named(unknown.resource_type)}, because of: {unknown.reason}"


def _region(region: ShownRegion, verb: str) -> Iterator[str]:
    yield f"{verb} {named(region.action)} on {named(region.resource_type)}: {_who(region)}"
    if region.roles:
        yield f"    by the role{'s' if len(region.roles) > 1 else ''} {joined([*map(named, region.roles)], 'or')}"
    yield from (f"    {'and' if number else 'if'} {sentence}" for number, sentence in enumerate(region.when))
    if isinstance(region.resource_name, ShownName):
        kind = region.resource_name.kind.replace("_", " ")
        yield f"    if a request names the resource by the {kind} {named(region.resource_name.value)}"
    if region.resources is not None:
        yield f"    on {counted(region.resources, 'registered resource')}"
    at = f" At {region.now}." if isinstance(region.now, str) else ""
    yield f"    for example: {question(region.witness)}{_sent(region.witness)}{at}"


def _sent(request: Mapping[str, Any]) -> str:
    """Returns what a request sends besides its names."""
    bags = [(name, request[name].get("properties", {})) for name in ("subject", "action", "resource")]
    bags.append(("context", request["context"]))
    words = [f"{named(f'{owner}.{key}')} {short_value(value)}" for owner, bag in bags for key, value in bag.items()]
    return f" With {joined(words, 'and')}." if words else ""


def _who(region: ShownRegion) -> str:
    shown = [_subject(one) for one in region.subjects[:SHOWN_SUBJECTS]]
    left = region.subject_count - len(shown)
    words = [*shown, *([f"{left} more"] if left else [])]
    if region.others:
        words.append("everyone else" if words else "everyone")
    total = f" ({counted(region.subject_count, 'subject')})" if region.subject_count > 1 else ""
    return joined(words, "and") + total


def _subject(one: ShownSubject) -> str:
    known = f" as external id {named(one.external_id)}" if isinstance(one.external_id, str) else ""
    return f"{one.type} {named(one.id)}{known}"
