"""Writes extensions, the mode of requests, declared attributes and silenced lints as lines of text."""

from collections.abc import Iterator

from ...model.declared import Kinds, is_required, type_of
from ...model.elements import AttributeDeclaration, Declared, DeclaredAttributes, Extensions, Requests, SilencedLint
from ..words import written_name, written_text
from .constants import commas, constant, names
from .layout import Line


def extensions_line(extensions: Extensions) -> Iterator[Line]:
    """Yields the line of the extensions."""
    yield Line(["extensions", *names(extensions.names)], 0)


def requests_line(requests: Requests) -> Iterator[Line]:
    """Yields the line that says how requests are checked."""
    yield Line(["requests", requests.mode], 0)


def declaration_lines(declared: DeclaredAttributes) -> Iterator[Line]:
    """Yields a line for each subject type, for the context and for actions."""
    if declared.subject == {}:
        yield Line(["declare", "subject"], 0)
    for kind, attributes in (declared.subject or {}).items():
        yield Line(["declare", "subject", written_name(kind), *kinds(attributes)], 0)
    if declared.context is not None:
        yield Line(["declare", "context", *kinds(declared.context)], 0)
    if declared.action is not None:
        yield Line(["declare", "action", *kinds(declared.action)], 0)


def silence_line(silence: SilencedLint) -> Iterator[Line]:
    """Yields the line of a silenced lint."""
    on = [] if silence.on is None else ["on", *names(silence.on)]
    yield Line(["silence", written_name(silence.code), *on, "because", written_text(silence.reason)], 0)


def kinds(declared: Kinds) -> list[str]:
    """Returns the tokens of attributes with their declarations."""
    return commas([written_name(key), *_declaration(one)] for key, one in declared.items())


def _declaration(declared: Declared) -> list[str]:
    tokens = [type_of(declared), *(["required"] if is_required(declared) else [])]
    if isinstance(declared, AttributeDeclaration) and declared.one_of is not None:
        tokens += ["one", "of", *constant([*declared.one_of])]
    return tokens
