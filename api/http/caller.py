"""The environment and the caller that work beside the event loop counts for."""

from contextvars import ContextVar
from typing import Final, TypeAlias

Who: TypeAlias = tuple[str, str]
"""The id of an environment, or an empty text for calls of none, and the actor of a credential (see `Credential`)."""

SERVICE: Final[Who] = "", ""
"""The service itself: work that belongs to no request."""

CALLER: Final[ContextVar[Who]] = ContextVar("caller", default=SERVICE)
"""The caller of the request that a task of the event loop answers."""
