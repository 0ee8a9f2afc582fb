"""A comparison as a SARIF log: who gains, who loses, what is not known, other answers of tests, changed elements."""

from collections.abc import Iterable, Iterator
from typing import Final

from ....compiler.documents.element_places import ElementPlace
from ....compiler.language.words import STATEMENT_OF
from ...review.people.people_answer import PeopleAnswer
from ...review.people.people_lines import told_lines, unknown_lines
from ...store.promotions.promotion import ElementDifference
from ..reports.sarif import SarifResult, SarifRule, sarif_log
from .comparison import ModelDifferences, TestDifference
from .shown import test_lines
from .sides import ComparedModel

GAINS: Final = SarifRule("gains", "warning", "someone may do more than before")
LOSES: Final = SarifRule("loses", "note", "someone may do less than before")
UNKNOWN: Final = SarifRule("unknown", "warning", "it is not known who gains or loses by a part of the change")
OTHER_ANSWER: Final = SarifRule("other-answer", "warning", "a request of a test has another answer than before")
CHANGED: Final = SarifRule("changed", "note", "an element of the model is added, changed, moved or removed")


def shown_sarif(found: ModelDifferences, old: ComparedModel, new: ComparedModel) -> str:
    """Returns a comparison as a log.

    A changed element is at its place in the documents of `new`, or of `old` if it is removed. A gain, a loss and what
    is not known follow from all changes together, so each is about the file of the first one as a whole.
    """
    changed = [_changed(one, _place(one, old, new)) for one in found.elements]
    file = next((one.file for one in changed if one.file), "")
    people = () if found.people is None else _people(found.people, file)
    return sarif_log([*people, *map(_other_answer, found.tests), *changed])


def _people(found: PeopleAnswer, file: str) -> Iterator[SarifResult]:
    """Yields a result for regions that are told as one. It is read alone, so it has the shared conditions too."""
    for one in found.told.regions:
        rule = GAINS if one.verb == "gains" else LOSES
        yield SarifResult(rule, _text(told_lines(found, one, with_shared=True)), file)
    yield from (SarifResult(UNKNOWN, line, file) for line in unknown_lines(found))


def _other_answer(test: TestDifference) -> SarifResult:
    return SarifResult(OTHER_ANSWER, _text(test_lines(test)), test.file)


def _changed(one: ElementDifference, place: ElementPlace | None) -> SarifResult:
    text = _text([f"{STATEMENT_OF[one.kind]} {one.id}: {one.change}", *one.text])
    return SarifResult(CHANGED, text) if place is None else SarifResult(CHANGED, text, *place)


def _place(one: ElementDifference, old: ComparedModel, new: ComparedModel) -> ElementPlace | None:
    key = (one.kind, one.id)
    return new.places.get(key) or old.places.get(key)


def _text(lines: Iterable[str]) -> str:
    return "\n".join(line.strip() if line.startswith("    ") else line for line in lines)
