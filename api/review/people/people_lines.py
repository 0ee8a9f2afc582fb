"""Words who gains and who loses by a change: gains first, each with who, when, how many resources, and an example."""

from collections.abc import Iterator
from typing import Final

from ..wording.plain_values import named
from ..wording.region_lines import region_lines, subject_words, unknown_line
from .people_answer import PeopleAnswer

NO_EFFECT: Final = "no effect: nobody gains or loses anything"


def people_lines(found: PeopleAnswer) -> Iterator[str]:
    """Yields the lines of an answer about people."""
    if found.is_empty:
        yield NO_EFFECT
        return
    for regions, verb in ((found.gains, "gains"), (found.loses, "loses")):
        for region in regions:
            yield f"{verb} {named(region.action)} on {named(region.resource_type)}: {subject_words(region)}"
            yield from region_lines(region)
    yield from map(unknown_line, found.unknown)
