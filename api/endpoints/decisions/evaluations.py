"""`POST /access/v1/evaluations`: many decisions in one request (authzen.md 25-41)."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import falcon.asgi

from ....bundles.event_loop import TakesLong
from ....runtime import Engine
from ....runtime.rules.array_elements import KeptKeys
from ....runtime.rules.reasons import Answer as DecisionAnswer
from ...engines.live.bound_engines import engine_for
from ...engines.live.engine_access import EngineOf
from ...http.bodies import ENCODER, JSON, Bodies
from ...http.openapi.operation import Answer, Operation
from ...settings.settings import HttpLimits
from ...store.environment_ids import DEFAULT
from ...telemetry.decision_log.decision_log import Log, asker_of, begin
from ...telemetry.decision_log.entry import EntryKind
from .batch import Batch, BatchAnswers, read_batch, strict_batch, without_batch_members
from .deciding import Deciding, explaining_to
from .decision_shapes import Decision, Decisions, EvaluationsRequest
from .evaluation import explains
from .lane_answers import LaneAnswer
from .slices import LOOP_SECONDS, beside_loop, ends_within, on_loop, take

ITEMS_AT_ONCE: Final = 100
"""A batch with more items is left to the application."""

EVALUATE_MANY: Final = Operation(
    "evaluateMany",
    "Decisions",
    "Decide many questions as of one instant",
    {200: Answer("The decisions. Without `evaluations`, one decision.", {"anyOf": [Decisions, Decision]})},
    bodies={JSON: EvaluationsRequest},
)

_ITEM: Final = EntryKind.ITEM  # PERF: to find a member of an enumeration takes as long as a call


class Evaluations:
    """Decides the items of a batch in slices, all as of one instant and one revision."""

    decides = True

    def __init__(
        self,
        engine_of: EngineOf,
        clock: Callable[[], float],
        bodies: Bodies,
        deciding: Deciding,
        limits: HttpLimits,
        report: Callable[[Exception, str], None],
        decision_log: Log,
    ) -> None:
        """`clock` gives epoch seconds; `report` gets an item's failure and its environment."""
        self._engine_of = engine_of
        self._clock = clock
        self._bodies = bodies
        self._deciding = deciding
        self._limits = limits
        self._report = report
        self._log = decision_log

    async def on_post(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str = DEFAULT) -> None:
        """Answer 200 with a decision per item, or with a single decision if the body has no items (26)."""
        body = await self._bodies.read_object(req)
        batch = read_batch(body, self._limits.batch_items)
        engine = explaining_to(req.context.credential, await engine_for(req, self._engine_of, env))
        moment = begin(self._log, req)
        if batch is None:
            kind, one = EntryKind.EVALUATION, without_batch_members(body)
            resp.data = ENCODER.encode(await self._deciding.decide(engine, one, req.context.is_long, moment.now))
        else:
            kind = EntryKind.ITEM
            with self._deciding.counts.counting_faults(engine):
                batch = strict_batch(engine, body, batch)
            found = await self.decide_all(engine, batch, env, req.context.is_long or explains(body), moment.now)
            resp.data = ENCODER.encode({"evaluations": found})
        self._log.keep(kind, moment, engine, req.context.body, resp.data, asker_of(req))

    @property
    def most_items(self) -> int:
        """The most items of a batch."""
        return self._limits.batch_items

    async def decide_all(
        self, engine: Engine, batch: Batch, env: str, takes_long: bool, now: float | None
    ) -> list[object]:
        """Returns the answer to each item of a batch, at `now` or by the clock. Counts them, and reports what failed.

        `engine` is pinned: a commit between two slices does not change the later items.
        """
        now = self._clock() if now is None else now
        answers = BatchAnswers(batch, partial(engine.decide_item, now=now), self._limits.explanation_bytes)
        found = await self._all(answers, engine, takes_long)
        self._deciding.counts.decided_many(engine, answers.reason_codes)
        self._deciding.counts.faulted(engine, answers.faults)
        for failure in answers.failures:
            self._report(failure, env)
        return found

    def at_once(self, engine: Engine, body: bytes, now: float | None = None) -> LaneAnswer | None:
        """Returns the decisions and counts them, or returns None if they may take long or one fails (see `lane`).

        Raises TakesLong if one counts for a rate limit: if the batch is left after that, it would count twice (C10).
        """
        plain, instant = self._bodies.plain.batch(body), self._clock() if now is None else now
        if plain is not None and len(plain.evaluations) <= min(ITEMS_AT_ONCE, self._limits.batch_items):
            answers: list[DecisionAnswer] = []
            if not ends_within(engine.add_answers(plain, instant, answers), LOOP_SECONDS):
                return None
            if len(answers) == len(plain.evaluations):  # else one of them needs the general reader
                self._deciding.counts.decided_many(engine, [answer.reason_code for answer in answers])
                return _ITEM, b'{"evaluations":[%b]}' % b",".join([answer.encoded for answer in answers])
        return self._read_at_once(engine, self._bodies.decoded(body), instant)

    def _read_at_once(self, engine: Engine, body: dict[str, Any], now: float) -> LaneAnswer | None:
        batch = read_batch(body, self._limits.batch_items)
        if explains(body) or (batch is not None and len(batch.items) > ITEMS_AT_ONCE):
            return None
        if batch is None:
            decision = engine.decide(without_batch_members(body), now)
            self._deciding.counts.decided(engine, decision["context"]["reason_code"])
            return EntryKind.EVALUATION, ENCODER.encode(decision)
        batch = strict_batch(engine, body, batch)
        decide = partial(engine.decide_item, now=now, counts=False)
        answers = BatchAnswers(batch, decide, self._limits.explanation_bytes)
        found: list[object] = []
        if not take(answers, found, LOOP_SECONDS) or answers.failures:
            return None
        self._deciding.counts.decided_many(engine, answers.reason_codes)
        self._deciding.counts.faulted(engine, answers.faults)
        return _ITEM, ENCODER.encode({"evaluations": found})

    async def _all(self, answers: BatchAnswers, engine: Engine, takes_long: bool) -> list[object]:
        """Returns the answers. A program is specialised in a thread, and so is all that takes long each time."""
        found: list[object] = []
        while not takes_long:
            try:
                await on_loop(answers, found)
                return found
            except TakesLong as ex:
                takes_long = ex.work is None
                if not takes_long:
                    found.append(await self._deciding.finish(ex, engine, partial(next, answers)))
        await beside_loop(answers, found, partial(self._deciding.in_thread, kept=KeptKeys()))
        return found
