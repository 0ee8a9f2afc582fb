"""Finds who gains and who loses if a document replaces the model, as a job."""

from typing import Final

from .....compiler.source import Source
from ....engines.jobs.job import Job, JobCall, always
from ..model_replacement import ReplacementRequest
from .people_job import PeopleFound, compared_in_job


def compare_document(call: JobCall[ReplacementRequest]) -> PeopleFound:
    """Compares the stored model with what the document makes of it. Raises as `Store.put_model`."""
    request = call.request
    call.document.seek(0)
    source = Source(f"model{request.ending}", call.document.read())
    models = call.store.changed_models
    return compared_in_job(call, lambda: models.of_documents(request.env, request.actor, [source], request.extent))


DOCUMENT_PEOPLE: Final = Job(
    f"{__name__}:DOCUMENT_PEOPLE",
    compare_document,
    ReplacementRequest,
    PeopleFound,
    task="compares the models",
    is_question=always,
)
