"""Words who can do an action: each region in lines, and then what is left open."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ....bundles.wording import joined, quoted
from ....runtime.searches.sources import RATE_LIMIT
from ..wording.region_lines import region_lines, subject_words, unknown_line
from .who_can_answer import WhoCan

ALWAYS: Final = "    always"


def who_can_lines(body: Mapping[str, Any], found: WhoCan) -> Iterator[str]:
    """Yields the lines of an answer to the question in `body`, which has the form of `read_who_can`."""
    yield _question(body)
    for region in found.regions:
        yield subject_words(region)
        if not region.when:
            yield ALWAYS
        yield from region_lines(region)
    yield from map(unknown_line, found.unknown)
    if found.reason is not None:
        yield f"none: {found.reason}"
    unsent = [quoted(name) for name in found.left_open if name != RATE_LIMIT]  # no request can send that one
    if unsent:
        yield f"left open, since the question does not send it: {joined(unsent, 'and')}"
    yield f"assignments and grants count as of {found.now}"


def _question(body: Mapping[str, Any]) -> str:
    """Returns the question in words.

    >>> _question({"action": {"name": "read"}, "resource": {"type": "chart", "id": "c1"}, "subject": {"type": "user"}})
    'Which subject of the type `user` can do `read` on chart `c1`?'
    >>> _question({"action": {"name": "read"}, "resource": {"type": "chart"}})
    'Who can do `read` on any chart?'
    """
    subject, resource = body.get("subject"), body["resource"]
    who = "Who" if subject is None else f"Which subject of the type {quoted(subject['type'])}"
    type = quoted(resource["type"]).strip("`")
    on = f"{type} {quoted(resource['id'])}" if "id" in resource else f"any {type}"
    return f"{who} can do {quoted(body['action']['name'])} on {on}?"
