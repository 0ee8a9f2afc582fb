"""Runs the stored tests of an environment: `POST /v1/environments/{env}/tests:run`."""

from typing import Final

import falcon.asgi
from msgspec import Struct

from ...http.bodies import ENCODER, JSON, Bodies
from ...http.openapi.operation import Answer, Operation
from ...http.queries import known_parameters
from ...identity.credential import Scope
from ...identity.guard import require_scope
from ...identity.request_actor import actor_of
from ...review.testing.outcome_report import TestReport, report_of
from ...review.testing.set_runs import run_sets
from ..management.body_shapes import shaped
from .changes import BAD, Changes, edits_of
from .policy_test_sets import TAG
from .trial_engines import Trials, Tried


class TestRun(Struct, frozen=True, forbid_unknown_fields=True):
    """A request to run the stored tests, on the stored model or on that with `changes`, which are not written."""

    changes: Changes = ()


RUN: Final = Operation(
    "runTests",
    TAG,
    "Run the stored policy tests",
    {200: Answer("The outcomes.", TestReport)},
    "Without a body, the tests ask the stored model. With `changes`, they ask the model as these would make it, which"
    " needs the scope `write`. Nothing is written. Faults of the changes are answered as those of a write.",
    bodies={JSON: TestRun},
    needs_body=False,
    errors=(409,),
)


class TestRunner:
    """Runs stored tests."""

    def __init__(self, bodies: Bodies, trials: Trials) -> None:
        self._bodies, self._trials = bodies, trials

    async def on_post(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str) -> None:
        """Answer 200 with the report, whether the tests pass or fail."""
        known_parameters(req)
        asked = shaped(await self._bodies.read_optional_element(req), TestRun, BAD)
        if asked.changes:
            require_scope(req.context.credential, Scope.WRITE)
        report = await self._trials.asked(env, actor_of(req), edits_of(asked.changes), _report)
        resp.data = ENCODER.encode(report)


def _report(tried: Tried) -> TestReport:
    return report_of(tried.trial.environment.revision, run_sets(tried.trial.tests, tried.after(), tried.is_left))
