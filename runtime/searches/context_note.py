"""The context of a search's answer: a sentence about conditions on the context, and what is left open."""

from collections.abc import Sequence
from typing import Final

from ..shapes import SearchContext

OPEN: Final = "time windows, addresses and other conditions on the context are left open"
DECIDED: Final = "conditions on the context are decided with the context of the request"


def context_note(context: object) -> str:
    """Returns the sentence about conditions on the context (S2)."""
    return OPEN if context is None else DECIDED


def search_context(reason: str, left_open: Sequence[str]) -> SearchContext:
    """Returns the context of an answer, with the attributes on which it depends and that were not sent (S6)."""
    context: SearchContext = {"reason": reason}
    say_left_open(context, left_open)
    return context


def say_left_open(context: SearchContext, names: Sequence[str]) -> None:
    """Adds sorted names to what the context of an answer leaves open, if there are any (S6)."""
    if names:
        said = context.get("left_open")
        context["left_open"] = sorted({*said, *names}) if said else list(names)
