"""Compares two models by people as a job, so that decisions do not wait. It always answers: see `BoundedComparison`."""

from collections.abc import Callable
from typing import IO, Any, Protocol, TypeVar

from msgspec import Struct

from ....engines.jobs.job import Job, JobCall
from ....engines.live.store_work import StoreWork
from ....engines.work.gc_pause import without_gc
from ....review.people.bounded_comparison import FAILED, BoundedComparison, unknown
from ....review.people.people_answer import PeopleAnswer
from ....review.testing.tests_gate import GateOutcome
from ....store.actor import Actor
from ....store.errors import StoreUnavailable
from ....store.models.model_pairs import ModelPair


class AboutEnvironment(Protocol):
    """A request about an environment, on behalf of an actor."""

    @property
    def env(self) -> str: ...

    @property
    def actor(self) -> Actor: ...


_Request = TypeVar("_Request", bound=AboutEnvironment)


class PeopleFound(Struct, frozen=True):
    """The answer of a comparison, or None if the change is not possible. `tests` are those of a promotion's target."""

    people: PeopleAnswer | None
    tests: GateOutcome | None = None


def compared_in_job(call: JobCall[Any], read: Callable[[], ModelPair | None]) -> PeopleFound:
    """Returns who gains and who loses in the models that `read` returns. Raises what `read` raises."""
    size = call.store.changed_models.size(call.request.env, call.request.actor.bounds)
    with without_gc():
        return PeopleFound(BoundedComparison(size).run(read))


async def found_people(
    work: StoreWork, job: Job[_Request, PeopleFound], request: _Request, document: IO[bytes] | None = None
) -> PeopleFound:
    """Returns who gains and who loses by the change that a request is about.

    If the process ends early, all is unknown. Raises the Refusal that the change itself would meet.
    """
    try:
        return await work.jobs.run(job, request, document)
    except StoreUnavailable:
        size = await work.read(work.store.changed_models.size, request.env, request.actor.bounds)
        return PeopleFound(unknown(size.types, FAILED))
