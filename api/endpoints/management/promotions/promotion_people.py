"""Finds who gains and who loses by a promotion, a restoration or a waiting one, as a job."""

from typing import Final

from ....engines.jobs.job import Job, JobCall
from ....store.models.model_pairs import ModelPair
from ....store.promotions.promotions import Promotions
from ..people.people_job import PeopleFound, compared_in_job
from .promotion_job import TakeoverRequest


def compare_promotion(call: JobCall[TakeoverRequest]) -> PeopleFound:
    """Compares the target's model with what a takeover makes of it. Raises as the methods of `Promotions`."""
    return compared_in_job(call, lambda: _models(call.store.promotions, call.request))


def _models(promotions: Promotions, request: TakeoverRequest) -> ModelPair | None:
    env, actor = request.env, request.actor
    if request.approves is not None:
        return promotions.models_of_waiting(env, actor, request.approves)
    if request.revision is not None:
        return promotions.models_of_restoration(env, actor, request.revision)
    return promotions.models(env, actor, request.wanted)


PROMOTION_PEOPLE: Final = Job(
    f"{__name__}:PROMOTION_PEOPLE", compare_promotion, TakeoverRequest, PeopleFound, task="compares the models"
)
