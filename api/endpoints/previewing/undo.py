"""The undo of a revision, or of some of its changes: `POST /v1/environments/{env}/revisions/{revision}/undo`."""

from typing import Final

import falcon.asgi
from msgspec.structs import asdict

from ...engines.live.store_work import StoreWork
from ...http.bodies import ENCODER, JSON, Bodies
from ...http.openapi.operation import Answer, Operation
from ...http.openapi.vocabulary import LOCATION
from ...http.queries import known_parameters
from ...http.raw_paths import segment
from ...http.revision_tokens import REVISION
from ...identity.credential import Scope
from ...identity.request_actor import actor_of
from ...store.errors import ChangedSince, Conflict, NotPermitted
from ...store.history.gateway_past import GatewayChange
from ...store.history.history import Undoing
from ...store.promotions.promotion import Promotion
from ...telemetry.decision_log.decision_log import Log
from ..management.body_shapes import shaped
from ..management.revisions import revision_number
from .change_preview import Previews
from .trial_engines import Trials
from .undo_people import UNDO_PEOPLE, UndoRequest
from .undo_shapes import Undone, UndoPreview, WantedUndo

UNDO: Final = Operation(
    "undoRevision",
    "Models and history",
    "Undo a revision, or some of its changes",
    {
        200: Answer("With `dry_run`: what the undo would do.", UndoPreview),
        201: Answer("The undo is in force, as a new revision.", Undone, (LOCATION,)),
        202: Answer("The gateway settings come back once that is approved.", Promotion, (LOCATION,)),
    },
    "Each element becomes what it was before the revision: a deleted one with what was deleted with it comes back. Of a"
    " group, only the members change that the revision changed. Routes go back to their places. If an element was"
    " changed again, the answer is 409 with the `conflicts`. Gateway settings need the scope `admin`.",
    bodies={JSON: WantedUndo},
    needs_body=False,
    errors=(409, 412),
)


class Undo:
    """The undo of a revision."""

    def __init__(
        self, work: StoreWork, bodies: Bodies, trials: Trials, decision_log: Log, at_this_server: bool
    ) -> None:
        self._work, self._bodies = work, bodies
        self._previews = Previews(work, trials, decision_log, at_this_server)

    async def on_post(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str, revision: str) -> None:
        """Answer 201 with the new revision, 202 if it waits for an approval, or with `dry_run` 200 with a preview."""
        known_parameters(req)
        wanted = shaped(await self._bodies.read_optional_element(req), WantedUndo, "bad-undo")
        asked = UndoRequest(env, actor_of(req), revision_number(revision), wanted.chosen())
        undoing = self._work.store.history.undo
        found = await self._work.read(undoing, env, asked.revision, asked.chosen, asked.actor.bounds)
        if wanted.dry_run:
            resp.data = ENCODER.encode(await self._preview(req, asked, found))
        elif found.gateway is not None:
            if req.context.credential.scope < Scope.ADMIN:
                raise NotPermitted("the gateway settings need the scope `admin`")
            await self._work.to_its_end(self._set_gateway(resp, asked, found.gateway))
        else:
            await self._write(resp, asked, found)

    async def _preview(self, req: falcon.asgi.Request, asked: UndoRequest, found: Undoing) -> UndoPreview:
        revision = found.environment.revision
        if found.plan.conflicts or not found.plan.edits:
            return UndoPreview(revision, (), (), False, None, None, None, found.plan.conflicts, found.gateway)
        preview = await self._previews.of(req, asked, found.plan.edits, UNDO_PEOPLE)
        return UndoPreview(**asdict(preview))

    async def _write(self, resp: falcon.asgi.Response, asked: UndoRequest, found: Undoing) -> None:
        conflicts, edits = found.plan.conflicts, found.plan.edits
        if conflicts:
            more = f", and {len(conflicts) - 1} more elements were too" if len(conflicts) > 1 else ""
            raise ChangedSince(f"{conflicts[0].sentence}{more}", conflicts)
        if not edits:
            raise Conflict(f"nothing is left to undo of revision {asked.revision}")
        committed = await self._work.write(asked.env, asked.actor, edits)
        resp.set_header(REVISION, committed.environment.etag)
        _made(resp, asked.env, committed.environment.revision)

    async def _set_gateway(self, resp: falcon.asgi.Response, asked: UndoRequest, gateway: GatewayChange) -> None:
        change = self._work.store.change_gateway
        changed = await self._work.change(change, asked.actor, asked.env, gateway.after)
        if isinstance(changed, Promotion):
            resp.status, resp.data = falcon.HTTP_202, ENCODER.encode(changed)
            resp.set_header("Location", f"/v1/environments/{segment(asked.env)}/promotions/{changed.id}")
            return
        await self._work.activate(asked.env)
        _made(resp, asked.env, changed.revision)


def _made(resp: falcon.asgi.Response, env: str, revision: int) -> None:
    resp.status, resp.data = falcon.HTTP_201, ENCODER.encode(Undone(revision))
    resp.set_header("Location", f"/v1/environments/{segment(env)}/revisions/{revision}")
