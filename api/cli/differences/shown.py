"""Words a comparison: as lines for people, and as Markdown that fits a comment."""

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from ..environments.shown_answers import count_lines, element_lines, heading, rendered
from .comparison import Decided, ModelDifferences

MOST_CHARACTERS: Final = 65_536
"""The characters of a comment, as GitHub and GitLab take them. Markdown that is longer is cut."""

_ROOM_FOR_NOTE: Final = 200


def comparison_lines(found: ModelDifferences, form: str) -> Iterator[str]:
    """Yields the differences: the counts, then the requests with other answers, then each element."""
    yield heading(f"{found.old} → {found.new}", form)
    yield from count_lines(found.changes)
    for name, changed in found.manifest.items():
        yield f"manifest {name}: {_json(changed.before)} → {_json(changed.after)}"
    if found.asked is not None:
        yield _summary(found.asked, len(found.tests))
    for test in found.tests:
        yield f"  {test.file}: {test.name}"
        yield f"    {_answer(test.before)} → {_answer(test.after)}"
    yield from element_lines(found.elements)
    if found.not_compared:
        yield found.not_compared


def markdown(lines: Iterable[str]) -> Iterator[str]:
    """Yields lines as Markdown of MOST_CHARACTERS at most. If some are cut, the last line says how many."""
    room = MOST_CHARACTERS - _ROOM_FOR_NOTE
    cut = 0
    for line in rendered(lines, "markdown"):
        room -= len(line) + 1
        if room >= 0 and not cut:
            yield line
        else:
            cut += 1
    if cut:
        yield ""
        yield f"{cut} more lines do not fit into a comment. `writ diff` without `--format markdown` shows them."


def _summary(asked: int, different: int) -> str:
    """Returns how many requests of tests have another answer.

    >>> _summary(12, 0), _summary(1, 1)
    ('12 requests of tests: none has another answer', '1 request of tests: 1 has another answer:')
    """
    requests = f"{asked} request{'' if asked == 1 else 's'} of tests"
    if not different:
        return f"{requests}: none has another answer"
    return f"{requests}: {different} {'has' if different == 1 else 'have'} another answer:"


def _answer(decided: Decided) -> str:
    if decided.filter is not None:
        return _json(decided.filter)
    verdict = "allowed" if decided.decision else f"denied, {decided.reason_code}"
    by = decided.policy_id or decided.denied_by
    return f"{verdict} by {by}" if by else verdict


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
