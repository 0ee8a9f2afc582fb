"""The question to Writ: which rows may this subject act on, with decided gates (F7)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ..runtime.requests.members import BadRequest
from ..runtime.requests.unavailable import SearchUnavailable
from .refusal import QueryRefused

_TOO_MANY_IDS = "$.options.include_direct"


class AnswersFilters(Protocol):
    """An engine, the engine of a follower, or a client."""

    def filter(self, request: Any, /) -> Any:
        """Returns the filter response to a resource search."""

    def actions(self, request: Any, /) -> Any:
        """Returns the response to an action search."""


@dataclass(frozen=True)
class Question:
    """A subject, an action and what else Writ is asked with. Raises BadRequest for a subject that is no mapping.

    `now` is in epoch seconds. Without it, the engine's own clock counts. A pickled question has no engine: each type
    counts as declared then.
    """

    engine: Any
    subject: Mapping[str, Any]
    action: str | Mapping[str, Any]
    context: Mapping[str, Any] | None = None
    actor: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None
    now: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.subject, Mapping):
            raise BadRequest("a subject is a mapping; without one, refuse the request", "$.subject")

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "engine": None}

    def answer(self, resource_type: str, *, node: bool) -> Any:
        """Returns the filter response, with direct grants as a node or as their ids (F3, F8).

        Raises QueryRefused if there are too many ids, if the type or its action is undeclared, or if the decision point
        did not decide the gates, and BadRequest for a malformed subject, action or context.
        """
        self._check_action(resource_type)
        options: dict[str, Any] = {"gates": "decide", "include_direct": "node" if node else True}
        request = self._request(resource_type) | {"context": dict(self.context or {})}
        if self.actor is not None:
            one = self.actor
            options["actor"] = dict(one) if isinstance(one, Mapping) else [dict(each) for each in one]
        try:
            answer = self._filter(request | {"options": options})
        except BadRequest as ex:
            if ex.path != _TOO_MANY_IDS:
                raise
            reason = "the subject has more than 10,000 direct grants, too many to list in a query"
            raise QueryRefused(reason, "give `mirror`, a table of the grants in the same database") from None
        if "filter" not in answer or "valid_until" not in answer.get("context", {}):
            reason = "the decision point left conditions on the context open, as others than Writ do (F2)"
            raise QueryRefused(reason, "ask a service or an agent of Writ")
        return answer

    def type_of(self, names: tuple[str, ...]) -> str:
        """Returns the first of the names that the model declares as a resource type.

        Raises QueryRefused if it declares none.
        """
        for name in names:
            if self._declares(name):
                return name
        shown = " nor ".join(f"`{name}`" for name in names)
        neither = "neither " if len(names) > 1 else "no "
        raise QueryRefused(f"the model declares {neither}{shown} as a resource type", "give `resource_type`")

    def declared(self, names: tuple[str, ...]) -> bool:
        """Returns whether the model declares one of the names as a resource type, with or without the action."""
        return any(map(self._declares, names))

    def _declares(self, resource_type: str) -> bool:
        """Returns whether the model declares a resource type. A strict search refuses others (E8).

        Raises QueryRefused if the decision point does not search.
        """
        if self.engine is None:
            return True
        if hasattr(self.engine, "undeclared"):
            return self.engine.undeclared(resource_type) is None
        subject = {"type": self.subject.get("type"), "id": "-"}
        resource = {"type": resource_type, "id": "-"}
        try:
            self.engine.actions({"subject": subject, "resource": resource, "options": {"strict": True}})
        except BadRequest as ex:
            return all(fault.code != "undeclared-type" for fault in ex.details)
        except SearchUnavailable:
            reason = f"an agent does not tell whether the model declares `{resource_type}`"
            raise QueryRefused(reason, "give `resource_type`") from None
        return True

    def _check_action(self, resource_type: str) -> None:
        """Raises QueryRefused if an engine knows that the type has no such action: its filter would hide every row."""
        action = self._action()["name"]
        if hasattr(self.engine, "undeclared") and self.engine.undeclared(resource_type, action) is not None:
            raise QueryRefused(f"the model declares no action `{action}` of `{resource_type}`", "check the spelling")

    def _request(self, resource_type: str) -> dict[str, Any]:
        return {"subject": dict(self.subject), "action": self._action(), "resource": {"type": resource_type}}

    def _action(self) -> dict[str, Any]:
        return {"name": self.action} if isinstance(self.action, str) else dict(self.action)

    def _filter(self, request: dict[str, Any]) -> Any:
        if self.now is None:
            return self.engine.filter(request)
        if not hasattr(self.engine, "undeclared"):
            raise QueryRefused("the decision point has its own clock", "give `context`, with the instant as `time`")
        return self.engine.filter(request, self.now)
