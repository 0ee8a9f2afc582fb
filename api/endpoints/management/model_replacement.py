"""Replaces a whole model, or tells what would change, as a job."""

from typing import Final, cast

import msgspec

from ....compiler.source import Source
from ...engines.jobs.job import Job, JobCall
from ...http.rejections import Detail
from ...store.actor import Actor
from ...store.errors import ElementKey
from .management_shapes import Change, ElementChange, ListChanges, ModelChanges


class ReplacementRequest(msgspec.Struct, frozen=True):
    """A request to replace the model of `env`, on behalf of `actor`.

    `ending` is that of a file in the document's form.
    """

    env: str
    actor: Actor
    ending: str
    dry_run: bool
    if_match: str | None = None


def replace_model(call: JobCall[ReplacementRequest]) -> ModelChanges:
    """Replaces the model by the document, or with `dry_run` only compares them. Raises as `Store.put_model`."""
    request = call.request
    source = Source(f"model{request.ending}", call.document.read())
    tags = None if request.if_match is None else (request.if_match,)
    done = call.store.put_model(request.env, request.actor, [source], request.dry_run, if_match=tags)
    counts = {name: ListChanges(**by_change) for name, by_change in done.changes.items()}
    elements = tuple(_shown(*one) for one in done.listed)
    warnings = tuple(Detail(one.code, one.path, one.sentence, *(one.place or ())) for one in done.warnings)
    return ModelChanges(done.revision, counts, elements, warnings, request.dry_run)


def _shown(kind: str, key: ElementKey, change: str) -> ElementChange:
    return ElementChange(kind, key[-1], cast(Change, change), key[0] if len(key) > 1 else None)


REPLACEMENT: Final = Job(
    f"{__name__}:REPLACEMENT", replace_model, ReplacementRequest, ModelChanges, task="replaces the model"
)
