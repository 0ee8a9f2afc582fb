"""Finds who gains and who loses by changes of elements, as a job."""

from typing import Final

from msgspec import Struct

from ...engines.jobs.job import Job, JobCall, always
from ...store.actor import Actor
from ..management.people.people_job import PeopleFound, compared_in_job
from .changes import Changes, edits_of


class ChangesRequest(Struct, frozen=True):
    """Changes of the environment `env`, on behalf of `actor`."""

    env: str
    actor: Actor
    changes: Changes


def compare_changes(call: JobCall[ChangesRequest]) -> PeopleFound:
    """Compares the stored model with what changes would make of it. Raises as `Store.write`."""
    request, models = call.request, call.store.changed_models
    edits = edits_of(request.changes)
    return compared_in_job(call, lambda: models.of_write(request.env, request.actor, edits))


CHANGE_PEOPLE: Final = Job(
    f"{__name__}:CHANGE_PEOPLE",
    compare_changes,
    ChangesRequest,
    PeopleFound,
    task="compares the models",
    is_question=always,
)
