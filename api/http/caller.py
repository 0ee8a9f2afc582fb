"""The caller that work beside the event loop counts for."""

from contextvars import ContextVar
from typing import Final

SERVICE: Final = ""
"""The service itself: work that belongs to no request."""

CALLER: Final[ContextVar[str]] = ContextVar("caller", default=SERVICE)
"""The actor of the request that a task of the event loop answers; see `Credential`."""
