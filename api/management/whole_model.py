"""The whole model of an environment: `/v1/environments/{env}/model`."""

from collections.abc import Callable
from functools import partial
from typing import IO, Final

import falcon
import falcon.asgi

from ..credentials.request_actor import actor_of
from ..http.bodies import ENCODER, JSON, check_media
from ..http.entity_tags import is_known, required_tag
from ..http.queries import flag, known_parameters
from ..openapi.operation import Answer, Operation, Parameter, Schema
from ..openapi.vocabulary import ETAG, IF_MATCH, IF_NONE_MATCH, UNCHANGED
from ..store.credential_rows import Bounds
from ..store.errors import StoreUnavailable
from ..store.historical_model import historical_model
from ..store.models.reading import ModelStream
from .elements import ManagementServices
from .management_shapes import ModelChanges
from .model_replacement import ReplacementRequest, Replacer
from .revisions import revision_number
from .spool import spooled
from .streams import Stream

YAML: Final = "application/yaml"
ENDINGS: Final = {JSON: ".json", YAML: ".yaml"}
"""The kinds of documents that are taken, and the ending of a file of that kind."""

MOST_EXPORTS: Final = 8
"""Models that one worker sends at a time: each keeps one state of the database, whose log grows meanwhile."""

_TAG: Final = "Models and history"
_DOCUMENT: Final[Schema] = {"type": "object", "description": "A model document: `model: 1`, and up to eight lists."}

GET: Final = Operation(
    "getModel",
    _TAG,
    "Read the whole model as one document",
    {200: Answer("The document as it was put, made ids added.", _DOCUMENT, (ETAG,)), 304: UNCHANGED},
    "Of an earlier revision, elements have the order of today, and those that are gone come last in their list.",
    query=(Parameter("revision", "The model of this revision.", {"type": "integer", "minimum": 0}),),
    headers=(IF_NONE_MATCH,),
)
PUT: Final = Operation(
    "putModel",
    _TAG,
    "Replace the whole model by a document, all of it or nothing",
    {200: Answer("What changed, or with `dry_run` would.", ModelChanges)},
    query=(Parameter("dry_run", "Only say what would change.", {"type": "boolean", "default": False}),),
    headers=(IF_MATCH, IF_NONE_MATCH),
    bodies={JSON: _DOCUMENT, YAML: _DOCUMENT},
    errors=(412,),
)


class WholeModel:
    """The model as one document: read, and replaced."""

    def __init__(self, services: ManagementServices) -> None:
        self._work, self._bodies, self._limits = services.work, services.bodies, services.limits
        self._replacer = Replacer(services.work.store.path.parent)
        self._exports = 0

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str) -> None:
        """Answer 200 with the document, of an earlier revision where `revision` names one."""
        asked = known_parameters(req, "revision")
        if self._exports >= MOST_EXPORTS:
            raise StoreUnavailable(f"{MOST_EXPORTS} models are being read already; try again when one has ended")
        self._exports += 1
        try:
            bounds = req.context.credential.bounds
            text = await self._work.read(self._opened, env, asked.get("revision"), bounds)
        except BaseException:
            self._export_ended()
            raise
        stream = Stream(text, self._work, self._export_ended)
        try:
            resp.etag = text.etag
            unchanged = is_known(req, text.etag)
            if unchanged or req.method == "HEAD":
                await stream.close()
            else:
                await self._work.record(text.exported(self._work.time(), actor_of(req)))
        except BaseException:
            await stream.close()
            raise
        if unchanged:
            resp.status = falcon.HTTP_304
        else:
            resp.content_type = falcon.MEDIA_JSON
            resp.stream = stream

    async def on_put(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str) -> None:
        """Answer 200 with what was replaced, or with `dry_run=true` what would be."""
        dry_run = flag(known_parameters(req, "dry_run"), "dry_run")
        check_media(req.content_type, tuple(ENDINGS))
        media = (req.content_type or "").partition(";")[0].strip().lower()
        environment = await self._work.read(self._work.store.environment, env, req.context.credential.bounds)
        tag = required_tag(req, environment.etag)  # now, before a large document is taken; again when it is written
        request = ReplacementRequest(env, actor_of(req), ENDINGS[media], dry_run, tag)
        document = await spooled(req, self._limits.model_bytes, self._replacer.directory)
        replaced = self._replace(request, document, partial(self._bodies.confirm, req))
        resp.data = ENCODER.encode(await self._work.to_its_end(replaced))

    async def _replace(
        self, request: ReplacementRequest, document: IO[bytes], confirm: Callable[[], None]
    ) -> ModelChanges:
        with document:
            changes = await self._replacer.replace(request, document, confirm)
        if not request.dry_run:
            await self._work.activate(request.env)
        return changes

    def _export_ended(self) -> None:
        self._exports -= 1

    def _opened(self, env: str, revision: str | None, bounds: Bounds) -> ModelStream:
        if revision is None:
            return self._work.store.model(env, bounds)
        return historical_model(self._work.store, env, revision_number(revision), bounds)
