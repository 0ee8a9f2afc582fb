"""Writes declared attributes and silenced lints as lines of text."""

from collections.abc import Iterator, Mapping

from ...model.elements import AttributeType, ContextAttribute, DeclaredAttributes, SilencedLint
from ...model.joined_attributes import is_required, type_of
from ..words import written_name, written_text
from .constants import commas, names
from .layout import Line


def declaration_lines(declared: DeclaredAttributes) -> Iterator[Line]:
    """Yields a line for each subject type, for the context and for actions."""
    if declared.subject == {}:
        yield Line(["declare", "subject"], 0)
    for kind, attributes in (declared.subject or {}).items():
        yield Line(["declare", "subject", written_name(kind), *_kinds(attributes)], 0)
    if declared.context is not None:
        kinds = ([written_name(key), *_context_kind(kind)] for key, kind in declared.context.items())
        yield Line(["declare", "context", *commas(kinds)], 0)
    if declared.action is not None:
        yield Line(["declare", "action", *_kinds(declared.action)], 0)


def silence_line(silence: SilencedLint) -> Iterator[Line]:
    """Yields the line of a silenced lint."""
    on = [] if silence.on is None else ["on", *names(silence.on)]
    yield Line(["silence", written_name(silence.code), *on, "because", written_text(silence.reason)], 0)


def _context_kind(declared: AttributeType | ContextAttribute) -> list[str]:
    return [type_of(declared), "required"] if is_required(declared) else [type_of(declared)]


def _kinds(attributes: Mapping[str, str]) -> list[str]:
    return commas([written_name(key), kind] for key, kind in attributes.items())
