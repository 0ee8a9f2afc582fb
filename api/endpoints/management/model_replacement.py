"""Replaces a whole model, or tells what would change, as a job."""

from typing import Final, cast

import msgspec

from ....compiler.source import Source
from ...engines.jobs.job import Job, JobCall
from ...http.rejections import Detail
from ...store.actor import Actor
from ...store.errors import ElementKey
from ...store.models.extent import Extent
from .management_shapes import Change, ElementChange, KeptFacts, ListChanges, ModelChanges, NamedElement


class ReplacementRequest(msgspec.Struct, frozen=True):
    """A request to replace the model of `env`, on behalf of `actor`.

    `ending` is that of a file in the document's form. `extent` says what the document replaces.
    """

    env: str
    actor: Actor
    ending: str
    dry_run: bool
    extent: Extent
    if_match: str | None = None


def replace_model(call: JobCall[ReplacementRequest]) -> ModelChanges:
    """Replaces the model by the document, or with `dry_run` only compares them. Raises as `Store.put_model`."""
    request = call.request
    call.document.seek(0)  # another job may have read it
    source = Source(f"model{request.ending}", call.document.read())
    tags = None if request.if_match is None else (request.if_match,)
    done = call.store.put_model(
        request.env, request.actor, [source], request.dry_run, if_match=tags, extent=request.extent
    )
    counts = {name: ListChanges(**by_change) for name, by_change in done.changes.items()}
    elements = tuple(_shown(*one) for one in done.listed)
    warnings = tuple(Detail(one.code, one.path, one.sentence, *(one.place or ())) for one in done.warnings)
    kept = None
    if request.extent == Extent.KEEP_FACTS:
        named = tuple(NamedElement(one.kind, one.key[0], one.text) for one in done.kept_listed)
        kept = KeptFacts({str(name): count for name, count in done.kept.items()}, named)
    return ModelChanges(done.revision, counts, elements, warnings, request.dry_run, kept)


def _shown(kind: str, key: ElementKey, change: str) -> ElementChange:
    return ElementChange(kind, key[-1], cast(Change, change), key[0] if len(key) > 1 else None)


REPLACEMENT: Final = Job(
    f"{__name__}:REPLACEMENT",
    replace_model,
    ReplacementRequest,
    ModelChanges,
    task="replaces the model",
    is_question=lambda asked: asked.dry_run,
)
