"""Advice about the attribute that a condition starts with."""

from typing import Final

from ....bundles.wording import quoted
from ...diagnostics.synonyms import suggest
from ..fault_place import FaultPlace
from ..words import SECTIONS
from .meant_attributes import meant_attribute

_CALENDAR: Final = frozenset(("time", "day", "today", "hour", "weekday", "date", "clock"))
"""Words for the moment of the request in the place of an attribute."""

_NO_ATTRIBUTES: Final = frozenset(
    ("the", "a", "an", "if", "some", "any", "all", "every", "each", "count", "len", "size", "exists", "forall", "there")
)
"""Words of other languages in the place of an attribute."""


def attributes(place: FaultPlace) -> str:
    """Returns advice about a word in the place of an attribute, or ""."""
    if "ATTRIBUTE" not in place.accepted or place.found is None:
        return ""
    if place.word in ("not", "no"):
        return "write `is false`, `is not` or `not in` after the attribute"
    if place.word in _CALENDAR:
        return "days and times of day are clauses: `on mon to fri from 09:00 until 17:00`"
    if place.word in _NO_ATTRIBUTES:
        return 'write an attribute first, such as `resource.status is "draft"`'
    section, dot, rest = place.word.partition(".")
    if meant := meant_attribute(place.word):
        return f"write {quoted(meant)}"
    if section in ("principal", "user"):
        return "write `subject.id` for the one who asks, or another attribute of the subject"
    if f"{section}." in SECTIONS:
        return f"write the attribute after a dot, such as {quoted(f'{section}.status')}"
    if not dot:
        shown = f"{quoted(f'resource.{section}')}, or " if place.kind == "NAME" else ""
        return f"write {shown}`subject`, `action` or `context` before the dot" if shown else ""
    near = suggest(section, [one.removesuffix(".") for one in SECTIONS])
    known = "an attribute starts with `resource.`, `subject.`, `action.` or `context.`"
    return near.replace("`?", f".{rest}`?") or known
