"""Finds who gains and who loses by an undo, as a job."""

from typing import Final

from msgspec import Struct

from ...engines.jobs.job import Job, JobCall, always
from ...store.actor import Actor
from ...store.history.undone_change import ChosenChange
from ..management.people.people_job import PeopleFound, compared_in_job


class UndoRequest(Struct, frozen=True):
    """The undo of a revision of the environment `env`, on behalf of `actor`."""

    env: str
    actor: Actor
    revision: int
    chosen: tuple[ChosenChange, ...] | None


def compare_undone(call: JobCall[UndoRequest]) -> PeopleFound:
    """Compares the stored model with what the undo would make of it. Raises as `Store.write`."""
    one, store = call.request, call.store
    plan = store.history.undo(one.env, one.revision, one.chosen, one.actor.bounds).plan
    return compared_in_job(call, lambda: store.changed_models.of_write(one.env, one.actor, plan.edits))


UNDO_PEOPLE: Final = Job(
    f"{__name__}:UNDO_PEOPLE", compare_undone, UndoRequest, PeopleFound, task="compares the models", is_question=always
)
