"""Laws on seeded cases: a fresh model and question each time, on a bundle, on deltas, and with an eager index."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tests.deep.larger import larger_models, larger_questions
from tests.deep.laws import LAWS
from tests.deep.moments import moment
from tests.deep.one_condition import condition_models
from tests.deep.task import Task
from tests.deep.trial import INDEXED_FROM, UNUSUAL_INDEX, Trial, broken, engine_over, indexing
from tests.support.strategies import seeded_case
from tests.support.strategies_pick import Pick
from tests.support.strategies_requests import request as drawn_request
from tests.support.strategies_required import require

Document = dict[str, Any]
Question = tuple[Document, float]

QUESTIONS = 40
"""Questions to a larger model in force."""


def check_small(task: Task) -> None:
    """Small hostile models, one question each; every third is led to by deltas."""
    while task.left > 0:
        seed = task.fresh_seed()
        document, request, now = seeded_case(seed)
        if seed % 4 == 1:
            request = requiring(Pick.seeded(seed), document)
        before = [seeded_case(seed + 1 + number)[0] for number in range((0, 0, 2)[seed % 3])]
        index = INDEXED_FROM if seed % 2 else UNUSUAL_INDEX
        check(task, [*before, document], [(request, moment(Pick.seeded(seed), document, now))], index)


def requiring(pick: Pick, document: Document) -> Document:
    """Let a model require attributes of the context, and return a request that lacks some of them, perhaps (C12)."""
    require(pick, document)
    return drawn_request(pick, document)


def check_larger(task: Task) -> None:
    """Larger models, many questions each, in force one after another by deltas; and one of single conditions."""
    while task.left > 0:
        pick = Pick.seeded(task.fresh_seed())
        model, questions = condition_models(pick, has_elements=True)
        check(task, [model], questions[:QUESTIONS], INDEXED_FROM)
        documents = larger_models(pick, pick.number(1, 3))
        for count in range(1, len(documents) + 1):
            if task.left > 0:
                check(task, documents[:count], larger_questions(pick, documents[count - 1], QUESTIONS), INDEXED_FROM)


def check(task: Task, documents: Sequence[Document], questions: Sequence[Question], index: int) -> None:
    """Put every law to the questions, in a random order, so that each meets the caches that others left."""
    laws = list(LAWS)
    task.random.shuffle(laws)
    trial = Trial("decide", tuple(documents), tuple(questions), index)
    with indexing(index):
        engine = engine_over(trial.documents, task.folder)
        for law in laws:
            for place, question in enumerate(trial.questions):
                if wrong := broken(law, engine, documents[-1], (question,)):
                    task.fail_trial(smaller(replace(trial, law=law), place), wrong)
                    break
                task.count()


def smaller(trial: Trial, place: int) -> Trial:
    """The trial with the failing question alone, if that fails too, else with all up to it."""
    alone = replace(trial, questions=(trial.questions[place],))
    return alone if alone.run() else replace(trial, questions=trial.questions[: place + 1])
