"""Words a comparison: as lines for people, and as Markdown that fits a comment."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from ....bundles.wording import in_backticks, quoted
from ...review.effects import effect_words
from ...review.people.people_lines import people_lines
from ..environments.shown_answers import count_lines, element_lines, heading, rendered
from .comparison import Decided, ModelDifferences, TestDifference

MOST_CHARACTERS: Final = 65_536
"""The characters of a comment, as GitHub and GitLab take them. Markdown that is longer is cut."""

_ROOM_FOR_NOTE: Final = 200


def comparison_lines(found: ModelDifferences, form: str) -> Iterator[str]:
    """Yields the differences: people, the counts, the requests with other answers, and then each element."""
    yield heading(f"{found.old} → {found.new}", form)
    if found.people is not None:
        yield from people_lines(found.people)
    yield from count_lines(found.changes)
    for one in found.renames:
        yield f"the {one.kind} {quoted(one.old)} is renamed to {quoted(one.new)}, with all that refers to it"
    for name, changed in found.manifest.items():
        yield f"manifest {name}: {_json(changed.before)} → {_json(changed.after)}"
    if found.asked is not None:
        yield _summary(found.asked, found.tests)
    for test in found.tests:
        yield from (f"  {line}" for line in test_lines(test))
    yield from element_lines(found.elements)
    if found.not_compared:
        yield found.not_compared


def test_lines(test: TestDifference) -> Iterator[str]:
    """Yields the name of a test, and its answers before and after."""
    yield f"{test.file}: {test.name}"
    yield f"  {_answer(test.before)} → {_answer(test.after)}"


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


def _summary(asked: int, found: Sequence[TestDifference]) -> str:
    """Returns how many requests of tests have another answer, and what changes for them.

    >>> _summary(12, ())
    '12 requests of tests: none has another answer'
    """
    requests = f"{asked} request{'' if asked == 1 else 's'} of tests"
    told = effect_words(Counter(one.effect for one in found))
    return f"{requests}: {told}:" if told else f"{requests}: none has another answer"


def _answer(decided: Decided) -> str:
    if decided.filter is not None:
        return _json(decided.filter)
    verdict = "allowed" if decided.decision else f"denied, {decided.reason_code}"
    by = decided.policy_id or decided.denied_by
    if decided.access_path == "direct":
        by = in_backticks(decided.grant) if decided.grant else "a direct grant"
    return f"{verdict} by {by}" if by else verdict


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
