"""Previews changes of a model: `POST /v1/environments/{env}/changes:preview`."""

from functools import partial
from pathlib import Path
from typing import Final, TypeVar

import falcon.asgi
from msgspec.structs import replace

from ....compiler.model.elements import ElementKind
from ...engines.jobs.job import Job
from ...engines.live.store_work import StoreWork
from ...http.bodies import ENCODER, JSON, Bodies
from ...http.openapi.operation import Answer, Operation
from ...http.queries import known_parameters
from ...identity.credential import Scope
from ...identity.request_actor import actor_of
from ...review.testing.outcome_report import report_of
from ...review.testing.set_runs import run_sets
from ...review.testing.tested_model import TestedModel
from ...store.elements.edits import Edit
from ...store.elements.element_bodies import change_text, decode_body, fact_text
from ...store.elements.workspace import ElementTexts
from ...store.errors import NotFound, Rejected
from ...store.history.change_log import change_of
from ...store.promotions.differences import shown
from ...store.store import Store
from ...store.trials.trial import Trial
from ...telemetry.decision_log.decision_log import Log
from ..management.body_shapes import shaped
from ..management.management_shapes import EntryAnswer
from ..management.people.people_job import AboutEnvironment, PeopleFound, found_people
from .change_people import CHANGE_PEOPLE, ChangesRequest
from .changes import BAD, edits_of
from .preview_shapes import (
    ChangedTest,
    ChangesPreview,
    PreviewedTests,
    TestName,
    WantedPreview,
    diagnostic_of,
)
from .recent_decisions import A_GRANT, replayed
from .trial_engines import Trials, Tried

_Asked = TypeVar("_Asked", bound=AboutEnvironment)

PREVIEW: Final = Operation(
    "previewChanges",
    "Model",
    "See what changes would do, without writing them",
    {200: Answer("What the changes would do, or what is wrong with them.", ChangesPreview)},
    "Both models are compared by people: who would gain and who would lose what, as far as that is known in 20 seconds."
    " The stored tests are asked of the model as it is, and as the changes would make it. For an administrator, so are"
    " the newest requests in the decision log. An error of an element is in the `diagnostics`. Other refusals are those"
    " of a write.",
    bodies={JSON: WantedPreview},
    errors=(409,),
)


class ChangePreview:
    """Previews changes."""

    def __init__(
        self, work: StoreWork, bodies: Bodies, trials: Trials, decision_log: Log, at_this_server: bool
    ) -> None:
        self._bodies, self._previews = bodies, Previews(work, trials, decision_log, at_this_server)

    async def on_post(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str) -> None:
        """Answer 200, also for changes with errors."""
        known_parameters(req)
        wanted = shaped(await self._bodies.read_element(req), WantedPreview, BAD)
        asked = ChangesRequest(env, actor_of(req), wanted.changes)
        found = await self._previews.of(req, asked, edits_of(wanted.changes), CHANGE_PEOPLE)
        resp.data = ENCODER.encode(found)


class Previews:
    """Finds what edits would do."""

    def __init__(self, work: StoreWork, trials: Trials, decision_log: Log, at_this_server: bool) -> None:
        self._work, self._trials, self._log = work, trials, decision_log
        self._at_this_server = at_this_server

    async def of(
        self, req: falcon.asgi.Request, asked: _Asked, edits: list[Edit], people: Job[_Asked, PeopleFound]
    ) -> ChangesPreview:
        """Returns the preview of edits, which `asked` is about. `people` compares the models of `asked`.

        Raises the Refusal that the edits would meet, but for their faults: these are in the preview.
        """
        # What the log says of other people's requests is for administrators, as the log itself is.
        log = self._log.file if req.context.credential.scope is Scope.ADMIN else None
        ask = partial(_preview, log, self._at_this_server, self._work.store)
        try:
            found = await self._trials.asked(asked.env, asked.actor, edits, ask)
        except Rejected as ex:
            faults = tuple(diagnostic_of(fault, "error") for fault in ex.faults)
            return ChangesPreview(None, faults, (), False, None, None)
        compared = await found_people(self._work, people, asked)
        return replace(found, people=compared.people)


def _preview(log: Path | None, at_this_server: bool, store: Store, tried: Tried) -> ChangesPreview:
    """Returns the preview, with decisions if there is a `log`. It takes long, so it runs in a thread."""
    trial, before, after = tried.trial, tried.before(), tried.after()
    elements, truncated = shown(map(_entry, trial.changes))
    decisions = None
    if log is not None:
        sentence_of = partial(_grant_text, store, trial)
        engines = before.engine, after.engine
        decisions = replayed(*engines, log, trial.environment, tried.is_left, sentence_of, at_this_server)
    return ChangesPreview(
        trial.environment.revision,
        tuple(diagnostic_of(fault, "warning") for fault in trial.warnings),
        elements,
        truncated,
        _tests(tried, before, after),
        decisions,
    )


def _grant_text(store: Store, trial: Trial, id: str) -> str:
    """Returns a direct grant of the trial as a sentence. One that went meanwhile is only called a grant."""
    for change in trial.changes:
        body = change.after or change.before
        if change.kind == ElementKind.GRANTS and change.key == (id,) and body is not None:
            return fact_text(ElementKind.GRANTS, decode_body(body))
    try:
        return fact_text(ElementKind.GRANTS, store.get(trial.environment.id, ElementKind.GRANTS, (id,)).body)
    except NotFound:
        return A_GRANT


def _tests(tried: Tried, before: TestedModel, after: TestedModel) -> PreviewedTests:
    was, now = (run_sets(tried.trial.tests, model, tried.is_left) for model in (before, after))
    found = [
        ChangedTest(TestName(two.id, second.name), first, second)
        for one, two in zip(was, now, strict=True)
        for first, second in zip(one.tests, two.tests, strict=False)  # a run may end early
        if first.passed != second.passed
    ]
    changed, truncated = shown(sorted(found, key=lambda one: not one.flips))
    report, flips = report_of(0, now), sum(one.flips for one in found)
    return PreviewedTests(report.passed, report.failed, report.not_run, changed, truncated, flips)


def _entry(change: ElementTexts) -> EntryAnswer:
    before, after = (None if body is None else decode_body(body) for body in (change.before, change.after))
    type = change.key[0] if len(change.key) > 1 else None
    text = change_text(change.kind, before, after)
    return EntryAnswer(change.kind, change.key[-1], change_of(before, after), before, after, type, text)
