"""An engine whose answers have records in a decision log."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, TypeAlias

from ..api.telemetry.decision_log.entry import EntryKind, Moment
from ..runtime.decision import Decision
from ..runtime.engine import Engine
from ..runtime.requests.evaluation_request import request_of
from ..runtime.requests.members import NO_ATTRIBUTES, Attributes, check_names
from ..runtime.shapes import (
    ActionSearchRequest,
    ActionsResponse,
    EvaluationRequest,
    ResourceItem,
    ResourceSearchRequest,
    SubjectItem,
    SubjectSearchRequest,
)

EngineSource: TypeAlias = Engine | Callable[[], Engine]
"""An engine, or a function that returns it for each question: `lambda: following.engine`."""


class KeepsAnswers(Protocol):
    """A decision log."""

    def begin(self, now: float) -> Moment:
        """See `DecisionLog.begin`."""

    def keep(self, kind: EntryKind, moment: Moment, engine: Engine, request: object, answer: object) -> None:
        """See `DecisionLog.keep`."""


class LoggedEngine:
    """Answers as its engine does, with the same errors. A question that raises an error has no record.

    `last_id` of the log is the id of the record. If the log is full and refuses decisions, each question raises
    DecisionLogFull.
    """

    def __init__(self, source: EngineSource, log: KeepsAnswers):
        self._source, self._log = source, log

    @property
    def engine(self) -> Engine:
        """The engine, whose answers have no records. Raises what the function of the source raises."""
        source = self._source
        return source if isinstance(source, Engine) else source()

    def _begin(self, now: float | None) -> tuple[Engine, Moment]:
        engine = self.engine.held()
        return engine, self._log.begin(engine.now() if now is None else now)

    def decide(self, request: EvaluationRequest | dict[str, Any], now: float | None = None) -> dict[str, Any]:
        """Returns the answer of `Engine.decide`, and logs it."""
        engine, moment = self._begin(now)
        answer = engine.decide(request, moment.now)
        self._log.keep(EntryKind.EVALUATION, moment, engine, request, answer)
        return answer

    def decide_many(self, requests: Iterable[Any], now: float | None = None) -> list[dict[str, Any]]:
        """Returns the answers of `Engine.decide_many`, and logs each as an item of one decision."""
        asked = list(requests)
        engine, moment = self._begin(now)
        answers = engine.decide_many(asked, moment.now)
        if asked:
            self._log.keep(EntryKind.ITEM, moment, engine, {"evaluations": asked}, {"evaluations": answers})
        return answers

    def allowed(
        self,
        subject_type: str,
        subject_id: str,
        action: str,
        resource_type: str,
        resource_id: str,
        subject: Attributes | None = None,
        resource: Attributes | None = None,
        action_properties: Attributes | None = None,
        context: Attributes | None = None,
        now: float | None = None,
    ) -> bool:
        """Returns the answer of `Engine.allowed`, and logs it with its reason. It takes as long as `decide`."""
        names = (subject_type, subject_id, action, resource_type, resource_id)
        check_names(names)
        given = (subject, resource, action_properties, context)
        decision: bool = self.decide(_request(names, given), now)["decision"]
        return decision

    def ask(
        self,
        subject_type: str,
        subject_id: str,
        action: str,
        resource_type: str,
        resource_id: str,
        subject: Attributes | None = None,
        resource: Attributes | None = None,
        action_properties: Attributes | None = None,
        context: Attributes | None = None,
        now: float | None = None,
    ) -> Decision:
        """Returns the answer of `Engine.ask`, and logs it."""
        names = (subject_type, subject_id, action, resource_type, resource_id)
        given = (subject, resource, action_properties, context)
        return Decision.of(self.decide(_request(names, given), now))

    def filter(self, request: ResourceSearchRequest | dict[str, Any], now: float | None = None) -> dict[str, Any]:
        """Returns the answer of `Engine.filter`, and logs it."""
        engine, moment = self._begin(now)
        answer = engine.filter(request, moment.now)
        self._log.keep(EntryKind.SEARCH, moment, engine, request, answer)
        return answer

    def actions(self, request: ActionSearchRequest | dict[str, Any], now: float | None = None) -> ActionsResponse:
        """Returns the answer of `Engine.actions`, and logs the number of results."""
        engine, moment = self._begin(now)
        answer = engine.actions(request, moment.now)
        self._log.keep(EntryKind.SEARCH, moment, engine, request, answer)
        return answer

    def resources(self, request: ResourceSearchRequest | dict[str, Any]) -> Iterator[ResourceItem]:
        """Returns the results of `Engine.resources`, and logs their number."""
        engine, moment = self._begin(None)
        found = list(engine.resources(request))
        self._log.keep(EntryKind.SEARCH, moment, engine, request, {"results": found})
        return iter(found)

    def subjects(self, request: SubjectSearchRequest | dict[str, Any]) -> Iterator[SubjectItem]:
        """Returns the results of `Engine.subjects`, and logs their number."""
        engine, moment = self._begin(None)
        found = list(engine.subjects(request))
        self._log.keep(EntryKind.SEARCH, moment, engine, request, {"results": found})
        return iter(found)


def _request(names: tuple[str, ...], given: tuple[Attributes | None, ...]) -> dict[str, Any]:
    return request_of(names, tuple(one or NO_ATTRIBUTES for one in given))
