"""The decision points that the hooks ask: anything that answers the calls of an engine."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias


class DecisionPoint(Protocol):
    """Answers at once, or blocks: an `Engine`, that of `follow`, `writ.Client`, `writ.testing.engine`."""

    def decide(self, request: Any, /) -> Mapping[str, Any]:
        """See `Engine.decide`."""

    def decide_many(self, requests: Any, /) -> Sequence[Mapping[str, Any]]:
        """See `Engine.decide_many`."""

    def filter(self, request: Any, /) -> Mapping[str, Any]:
        """See `Engine.filter`."""


class AsyncDecisionPoint(Protocol):
    """Answers in an event loop: `writ.AsyncClient`."""

    def decide(self, request: Any, /) -> Awaitable[Mapping[str, Any]]:
        """See `Engine.decide`."""

    def decide_many(self, requests: Any, /) -> Awaitable[Sequence[Mapping[str, Any]]]:
        """See `Engine.decide_many`."""

    def filter(self, request: Any, /) -> Awaitable[Mapping[str, Any]]:
        """See `Engine.filter`."""


BlockingSource: TypeAlias = DecisionPoint | Callable[[], DecisionPoint]
"""A decision point, or a function that returns it. It is called for each question: `lambda: following.engine`."""

AnySource: TypeAlias = BlockingSource | AsyncDecisionPoint | Callable[[], AsyncDecisionPoint]
"""The same for a framework with an event loop."""


def point_of(source: Any) -> Any:
    """Returns the decision point of a source. Raises what its function raises, such as FollowError."""
    return source if hasattr(source, "decide") else source()
