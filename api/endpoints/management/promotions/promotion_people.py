"""Finds who gains and who loses by a promotion, a restoration or a waiting one, as a job."""

from typing import Final

from ....engines.jobs.job import Job, JobCall, always
from ....review.testing.tests_gate import gate_outcome
from ....store.models.model_pairs import ModelPair
from ....store.promotions.promotions import Promotions
from ..people.people_job import PeopleFound, compared_in_job
from .promotion_job import TakeoverRequest


def compare_promotion(call: JobCall[TakeoverRequest]) -> PeopleFound:
    """Compares the target's model with what a takeover makes of it, and runs the target's tests on that.

    Raises as the methods of `Promotions`.
    """
    kept: list[ModelPair] = []

    def read() -> ModelPair | None:
        models = _models(call.store.promotions, call.request)
        kept.extend([models] if models else [])
        return models

    found = compared_in_job(call, read)
    tests = call.store.policy_tests.texts(call.request.env, call.request.actor.bounds)
    if not (kept and tests and found.people is not None):
        return found
    return PeopleFound(found.people, gate_outcome(kept[0].after, tests))


def _models(promotions: Promotions, request: TakeoverRequest) -> ModelPair | None:
    env, actor = request.env, request.actor
    if request.approves is not None:
        return promotions.models_of_waiting(env, actor, request.approves)
    if request.revision is not None:
        return promotions.models_of_restoration(env, actor, request.revision)
    return promotions.models(env, actor, request.wanted)


PROMOTION_PEOPLE: Final = Job(
    f"{__name__}:PROMOTION_PEOPLE",
    compare_promotion,
    TakeoverRequest,
    PeopleFound,
    task="compares the models",
    is_question=always,
)
