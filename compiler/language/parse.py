"""Parses one statement of the language to the element that it describes."""

from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from types import SimpleNamespace
from typing import Any, NamedTuple

from lark import Lark
from lark.exceptions import UnexpectedToken

from .automaton import Automaton, Unexpected
from .explain_fault import explained, indented, unexplained
from .grammar import GRAMMAR
from .hidden import hidden_character
from .placed import Placed
from .reading.all_readers import READERS
from .reading.statement_clauses import ReadStatement
from .statements import Statement
from .syntax_fault import SyntaxFault
from .tokens import TokenInput, Tokens, keywords_of
from .words import LISTS

_NAMED_FIRST = ("resource_types", "roles", "groups", "policies", "routes")
"""The lists whose statements have the id after the first word."""

_NAMES = ("name", "NAME", "STRING", "NUMBER")


class Parsed(NamedTuple):
    """A statement that was read, and its tokens with the comments among them."""

    element: ReadStatement
    tokens: list[Placed]


def parse(text: str, statement: Statement, explain: bool = True) -> Parsed:
    """Returns the element of a statement of `text`. Raises SyntaxFault; without `explain`, it may only say where."""
    tokens: list[Placed] = []
    if (hidden := hidden_character(text, statement)) is not None:
        with suppress(Unexpected, SyntaxFault):
            _automaton().parse(TokenInput(text, statement.start, hidden.start, tokens))
        raise _about(hidden, tokens)
    if statement.start and text[statement.start - 1] != "\n":
        raise indented(text, statement)
    try:
        element: Any = _automaton().parse(TokenInput(text, statement.start, statement.end, tokens))
    except Unexpected:
        fault = _explained(text, statement) if explain else unexplained(tokens)
        raise _about(fault, tokens) from None
    except SyntaxFault as fault:
        raise _about(fault, tokens) from None
    return Parsed(element, tokens)


def _explained(text: str, statement: Statement) -> SyntaxFault:
    """Returns the fault of a statement that can't be read. Lark knows what could stand at each place."""
    tokens: list[Placed] = []
    with suppress(SyntaxFault):
        try:
            cut: Any = TokenInput(text, statement.start, statement.end, tokens)
            _parser().parse(cut)
        except UnexpectedToken as ex:
            return explained(ex, tokens, text)
    return unexplained(tokens)


def _about(fault: SyntaxFault, tokens: Sequence[Placed]) -> SyntaxFault:
    """Adds to a fault which element the statement describes, as far as its first two words tell."""
    said = [token for token in tokens if token.type != "COMMENT"]
    fault.list_name = LISTS.get(str(said[0].value)) if said else None
    if fault.list_name in _NAMED_FIRST and len(said) > 1 and said[1].type in _NAMES:
        fault.id = str(said[1].value)
    return fault


@cache
def _parser() -> Lark:
    """Returns the parser. PERF: it takes 50 ms to make, which only those who read text pay."""
    return Lark(
        GRAMMAR,
        parser="lalr",
        lexer=Tokens,
        transformer=SimpleNamespace(**READERS),
        keep_all_tokens=True,
        maybe_placeholders=False,
    )


@cache
def _automaton() -> Automaton:
    return Automaton(_parser(), keywords_of(_parser().terminals))
