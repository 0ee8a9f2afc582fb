"""The answers of handlers that the decision lane may call."""

from typing import Protocol, TypeAlias, runtime_checkable

from ....runtime import Engine
from ...telemetry.decision_log.entry import EntryKind

LaneAnswer: TypeAlias = tuple[EntryKind, bytes]
"""The kind of an answer for the decision log, and the answer as JSON. It may be shared: no header is in it."""


@runtime_checkable
class AnswersAtOnce(Protocol):
    """A handler that the lane may call."""

    def at_once(self, engine: Engine, body: bytes, now: float | None = None) -> LaneAnswer | None:
        """Returns the answer to a body at `now`, or by the engine's clock, or None if it takes long.

        Raises whatever the application raises for the same body.
        """
