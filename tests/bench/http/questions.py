"""The questions of all rows, the same for every service, with the oracle's answers.

Every row asks 2,000 distinct questions, or 500 batches of 20. Nobody who asks has direct grants, since only Writ knows
them.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from tests.bench.expected import Expected
from tests.bench.models import Document
from tests.bench.requests import distinct
from tests.support.oracle_entities import question
from tests.support.oracle_searches import admits

POLICIES, QUESTIONS, BATCHES, BATCH_ITEMS = 1_000, 2_000, 500, 20

SINGLE, BATCH, OPEN, DECIDED = "single", "batch", "open filter", "decided filter"
"""The kinds of questions. An open filter leaves out conditions on the context (F2), a decided one decides them (F7)."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question of one kind, with the right answers: one, or one for each item of a batch.

    A filter's right answer is whether it holds for `row`, the attributes of one resource.
    """

    kind: str
    request: Document
    right: tuple[bool, ...]
    row: Document


def questions(
    document: Document, now: float, count: int = QUESTIONS, batches: int = BATCHES
) -> dict[str, list[Question]]:
    """Returns the questions of every kind about a company's model."""
    expected = Expected(document, now)
    requests = distinct(document, expected, count)
    makers: Mapping[str, Callable[[Document], Question]] = {
        SINGLE: lambda asked: Question(SINGLE, asked, (_allowed(expected, asked),), {}),
        OPEN: lambda asked: _filter(OPEN, asked, _admitted(expected, asked, now)),
        DECIDED: lambda asked: _filter(DECIDED, asked, _allowed(expected, asked)),
    }
    found = {kind: list(map(make, requests)) for kind, make in makers.items()}
    found[BATCH] = [
        Question(BATCH, batch, tuple(_allowed(expected, item) for item in items(batch)), {})
        for batch in _batches(requests, batches)
    ]
    return found


def items(batch: Document) -> list[Document]:
    """Returns the evaluations of a batch as whole requests."""
    shared = {"subject": batch["subject"], "context": batch["context"]}
    return [shared | item for item in batch["evaluations"]]


def _allowed(expected: Expected, request: Document) -> bool:
    return bool(expected.answer(request)["decision"])


def _admitted(expected: Expected, request: Document, now: float) -> bool:
    cut = expected.cut(request)
    return admits(cut, question(cut, request, now))


def _filter(kind: str, request: Document, right: bool) -> Question:
    search = {**request, "resource": {"type": request["resource"]["type"]}}
    return Question(kind, search, (right,), request["resource"]["properties"])


def _batches(requests: list[Document], count: int) -> list[Document]:
    """One person's questions about what the person's team asks about, as a page of a list needs them."""
    random, of_team = Random("batches"), defaultdict(list)
    for request in requests:
        of_team[_team(request)].append(request)
    return [_batch(random, asking, of_team[_team(asking)]) for asking in random.choices(requests, k=count)]


def _batch(random: Random, asking: Document, about: list[Document]) -> Document:
    chosen = random.choices(about, k=BATCH_ITEMS)
    return {
        "subject": asking["subject"],
        "context": asking["context"],
        "evaluations": [{"action": other["action"], "resource": other["resource"]} for other in chosen],
    }


def _team(request: Document) -> str:
    return str(request["subject"]["id"].partition(".")[0])
