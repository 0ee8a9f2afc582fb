"""Checks changes of a model, and asks a question with them: `POST /v1/environments/{env}/changes:try`."""

from functools import partial
from typing import Annotated, Any, Final

import falcon.asgi
from msgspec import Meta, Struct

from ....runtime.requests.registry import Registry
from ...engines.live.store_work import StoreWork
from ...http.bodies import ENCODER, JSON, Bodies
from ...http.openapi.operation import Answer, Operation
from ...http.queries import known_parameters
from ...identity.request_actor import actor_of
from ...review.testing.outcome_report import Count
from ...store.errors import Rejected
from ..insight.explain import ExplainAnswer, explained_answer
from ..management.body_shapes import shaped
from .changes import BAD, MOST_CHANGES, ElementEdit, edits_of
from .preview_shapes import PreviewDiagnostic, diagnostic_of
from .trial_engines import Trials, Tried


class WantedTrial(Struct, frozen=True, forbid_unknown_fields=True):
    """The changes to try, all or none, in order, and perhaps an evaluation request to answer with them."""

    changes: Annotated[tuple[ElementEdit, ...], Meta(min_length=1, max_length=MOST_CHANGES)]
    request: dict[str, Any] | None = None


class ChangesTried(Struct, frozen=True):
    """The faults of changes, and the answer to the request as they would make it.

    `answer` is null without a request, and with an error among the `diagnostics`. `revision` is null with an error.
    """

    revision: Count | None
    diagnostics: tuple[PreviewDiagnostic, ...]
    answer: ExplainAnswer | None


TRY: Final = Operation(
    "tryChanges",
    "Model",
    "Check changes without writing them, and ask a question with them",
    {200: Answer("What is wrong with the changes, and the answer with them.", ChangesTried)},
    "It is quicker than a preview: no test is asked, and no models are compared. The answer is that of `explain`. An"
    " error of an element is in the `diagnostics`. Other refusals are those of a write, and of an evaluation.",
    bodies={JSON: WantedTrial},
    errors=(409,),
)


class ChangeTrial:
    """Tries changes."""

    def __init__(self, work: StoreWork, bodies: Bodies, trials: Trials) -> None:
        self._work, self._bodies, self._trials = work, bodies, trials

    async def on_post(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str) -> None:
        """Answer 200, also for changes with errors. Raises BadRequest as an evaluation of the request would."""
        known_parameters(req)
        wanted = shaped(await self._bodies.read_element(req), WantedTrial, BAD)
        ask = partial(_tried, self._work.store.registry, wanted.request)
        try:
            found = await self._trials.asked(env, actor_of(req), edits_of(wanted.changes), ask)
        except Rejected as ex:
            found = {
                "revision": None,
                "diagnostics": [diagnostic_of(one, "error") for one in ex.faults],
                "answer": None,
            }
        resp.data = ENCODER.encode(found)


def _tried(registry: Registry, request: dict[str, Any] | None, tried: Tried) -> dict[str, Any]:
    """Returns a ChangesTried as a dictionary."""
    return {
        "revision": tried.trial.environment.revision,
        "diagnostics": [diagnostic_of(one, "warning") for one in tried.trial.warnings],
        "answer": None if request is None else explained_answer(tried.explaining(registry), request),
    }
