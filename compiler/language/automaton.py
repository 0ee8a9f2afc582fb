"""Runs the parser that Lark makes, in our own loop.

PERF: Lark's loop takes twice as long for a statement. If a statement can't be read, Lark reads it again, and says why.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from lark import Lark
from lark.parsers.lalr_analysis import Shift

from .tokens import Keywords, TokenInput, tokens_in

_END = "$END"
"""The terminal after the last token."""


class Unexpected(Exception):
    """A token, or the end of the statement, can't stand where it stands."""


class _Reduction(NamedTuple):
    """A complete construct: the parser takes `size` values off the stack, and puts the reader's value there.

    Without a reader, the one value stays what it is.
    """

    size: int
    construct: str
    read: Callable[[list[Any]], Any] | None


class Automaton:
    """The tables of a parser that Lark has made, with the readers in them."""

    def __init__(self, lark: Lark, keywords: Keywords):
        frontend: Any = lark.parser
        machine = frontend.parser.parser
        table, readers = machine.parse_table, machine.callbacks
        self._states: Mapping[int, Mapping[str, Any]] = {
            state: {str(name): _move(action, target, readers) for name, (action, target) in row.items()}
            for state, row in table.states.items()
        }
        self._start, self._end = table.start_states["start"], table.end_states["start"]
        self._keywords = keywords

    def parse(self, cut: TokenInput) -> Any:
        """Returns what the reader of the statement returns. Raises Unexpected, and SyntaxFault as the readers do."""
        states = self._states
        stack: list[int] = [self._start]
        values: list[Any] = []
        for token in tokens_in(cut, states, stack, self._keywords):
            move = states[stack[-1]].get(token.type)
            stack.append(move if move.__class__ is int else self._ready(stack, values, token.type))
            values.append(token)
        self._ready(stack, values, _END)
        return values[-1]

    def _ready(self, stack: list[int], values: list[Any], terminal: str) -> Any:
        """Completes the constructs that end before a terminal, and returns the state after it. Raises Unexpected."""
        states = self._states
        while True:
            move = states[stack[-1]].get(terminal)
            if move.__class__ is int or (terminal == _END and stack[-1] == self._end):
                return move
            if move is None:
                raise Unexpected
            size, construct, read = move
            if read is None:
                stack.pop()
            elif size:
                values[-size:] = (read(values[-size:]),)
                del stack[-size:]
            else:
                values.append(read([]))
            stack.append(states[stack[-1]][construct])


def _move(action: Any, target: Any, readers: Mapping[Any, Callable[[list[Any]], Any]]) -> Any:
    """Returns the state that follows, an integer, or the _Reduction to do."""
    if action is Shift:
        return target
    size, name = len(target.expansion), str(target.origin.name)
    is_same = target.options.expand1 and not target.alias and size == 1
    return _Reduction(size, name, None if is_same else readers[target])
