"""The sentence of a search's answer about conditions on the context."""

from typing import Final

OPEN: Final = "time windows, addresses and other conditions on the context are left open"
DECIDED: Final = "conditions on the context are decided with the context of the request"


def context_note(context: object) -> str:
    """Returns the sentence about conditions on the context (S2)."""
    return OPEN if context is None else DECIDED
