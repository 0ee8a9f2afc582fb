"""The whole model of an environment: `/v1/environments/{env}/model`."""

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from typing import IO, Final

import falcon
import falcon.asgi
from msgspec.structs import replace

from ...engines.live.store_work import StoreWork
from ...engines.work.fair_turns import FairTurns
from ...http.bodies import ENCODER, JSON, Bodies, check_media
from ...http.caller import CALLER
from ...http.entity_tags import is_known, required_tag
from ...http.openapi.operation import Answer, Operation, Parameter, Schema
from ...http.openapi.vocabulary import ETAG, IF_MATCH, IF_NONE_MATCH, UNCHANGED
from ...http.queries import flag, known_parameters
from ...http.streams import Stream
from ...identity.request_actor import actor_of
from ...settings.settings import HttpLimits
from ...store.audit.entries import AuditEntry
from ...store.environment_ids import Bounds
from ...store.errors import StoreFull, StoreUnavailable
from ...store.historical_model import historical_model
from ...store.models.extent import Extent
from ...store.models.reading import ModelStream
from ...telemetry.log import LOG
from .management_shapes import ModelChanges
from .model_replacement import REPLACEMENT, ReplacementRequest
from .people.document_people import DOCUMENT_PEOPLE
from .people.people_job import found_people
from .revisions import revision_number
from .spool import spooled

YAML: Final = "application/yaml"
TEXT: Final = "application/vnd.writ.policy"
FORMS: Final = {JSON: "json", YAML: "yaml", TEXT: "writ"}
"""The content types of model documents, and the form of each."""

MOST_EXPORTS: Final = 8
"""Models that one worker sends at a time. Each keeps a state of the database, so the database's log grows meanwhile."""

_TAG: Final = "Models and history"
_DOCUMENT: Final[Schema] = {"type": "object", "description": "A model document: `model: 1`, and what it declares."}
_TEXT: Final[Schema] = {"type": "string", "description": "A model in the `.writ` language."}


def _flag(name: str, description: str) -> Parameter:
    return Parameter(name, description, {"type": "boolean", "default": False})


GET: Final = Operation(
    "getModel",
    _TAG,
    "Read the whole model as one document",
    {200: Answer("The document, with the ids that Writ made.", _DOCUMENT, (ETAG,), tuple(FORMS)), 304: UNCHANGED},
    "`Accept` chooses between JSON, YAML and text in the `.writ` language. The model is stored, and no comments."
    " In an earlier revision, elements have today's order. Elements deleted since then come last in their list. Only"
    " routes have the order of that revision.",
    query=(Parameter("revision", "The model of this revision.", {"type": "integer", "minimum": 0}),),
    headers=(IF_NONE_MATCH,),
)
PUT: Final = Operation(
    "putModel",
    _TAG,
    "Replace the whole model with a document, all or nothing",
    {200: Answer("The changes, or with `dry_run` the changes to expect.", ModelChanges)},
    query=(
        _flag("dry_run", "Only answer the changes, and write nothing."),
        _flag("keep_facts", "Keep the assignments and grants that the document lacks."),
        _flag("policies_only", "Replace only the lists that a promotion covers. All others stay."),
        _flag("people", "Also answer who gains and who loses. With `dry_run`, the answer always has that."),
    ),
    headers=(IF_MATCH, IF_NONE_MATCH),
    bodies={JSON: _DOCUMENT, YAML: _DOCUMENT, TEXT: _TEXT},
    errors=(409, 412),
)


class WholeModel:
    """The model as one document."""

    def __init__(self, work: StoreWork, bodies: Bodies, limits: HttpLimits) -> None:
        self._work, self._bodies, self._limits = work, bodies, limits
        self._exports = FairTurns(MOST_EXPORTS)

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str) -> None:
        """Answer 200 with the document. `revision` asks for an earlier one, `Accept` for another form than JSON."""
        asked = known_parameters(req, "revision")
        media = req.client_prefers([*FORMS]) or JSON
        who = CALLER.get()
        if not self._exports.take_at_once(who):
            raise StoreUnavailable("this worker already sends as many models as it may; try again later")
        ended = partial(self._exports.give_back, who)
        try:
            bounds = req.context.credential.bounds
            text = await self._work.read(self._opened, env, asked.get("revision"), bounds, FORMS[media])
        except BaseException:
            ended()
            raise
        stream = Stream(text, self._work.read, ended)
        try:
            resp.etag = text.etag
            unchanged = is_known(req, text.etag)
            if unchanged or req.method == "HEAD":
                await stream.close()
            else:
                await self._record_export(text.exported(self._work.time(), actor_of(req)))
        except BaseException:
            await stream.close()
            raise
        if unchanged:
            resp.status = falcon.HTTP_304
        else:
            resp.content_type = media
            resp.append_header("Vary", "Accept")
            resp.stream = stream

    async def on_put(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str) -> None:
        """Answer 200 with the changes. `dry_run=true` writes nothing. Two more flags say what stays, and
        `people` asks who gains and who loses.
        """
        asked = known_parameters(req, "dry_run", "keep_facts", "policies_only", "people")
        dry_run, keeps, policies = (flag(asked, name) for name in ("dry_run", "keep_facts", "policies_only"))
        extent = Extent.POLICIES if policies else Extent.KEEP_FACTS if keeps else Extent.MODEL
        check_media(req.content_type, tuple(FORMS))
        media = (req.content_type or "").partition(";")[0].strip().lower()
        environment = await self._work.read(self._work.store.environment, env, req.context.credential.bounds)
        tag = required_tag(
            req, environment.etag
        )  # checked before a large document arrives, and again when it is written
        request = ReplacementRequest(env, actor_of(req), f".{FORMS[media]}", dry_run, extent, tag)
        document = await spooled(req, self._limits.model_bytes, self._work.store.directory)
        begun, confirm = asyncio.Event(), partial(self._bodies.confirm, req)
        replaced = self._replace(request, document, confirm, flag(asked, "people"), begun)
        resp.data = ENCODER.encode(await self._work.to_its_end(replaced, begun.is_set))

    async def _replace(
        self,
        request: ReplacementRequest,
        document: IO[bytes],
        confirm: Callable[[], None],
        wants_people: bool,
        begun: asyncio.Event,
    ) -> ModelChanges:
        people = None
        with document:
            if request.dry_run or wants_people:
                people = (await found_people(self._work, DOCUMENT_PEOPLE, request, document)).people
            changes, primary = await self._work.jobs.run_stored(REPLACEMENT, request, document, confirm, begun.set)
        if not request.dry_run:
            await self._work.activate(request.env, primary)
        return replace(changes, people=people)

    async def _record_export(self, entry: AuditEntry) -> None:
        """Records an export. On a full disk, only the log has it: an operator in trouble needs the model."""
        try:
            await self._work.record(entry)
        except StoreFull as ex:
            logging.getLogger(LOG).error("%s exported a model, which is not in the audit log: %s", entry.actor, ex)

    def _opened(self, env: str, revision: str | None, bounds: Bounds, form: str) -> ModelStream:
        if revision is None:
            return self._work.store.model(env, bounds, form)
        return historical_model(self._work.store, env, revision_number(revision), bounds, form)
