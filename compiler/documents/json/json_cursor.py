"""Reads the JSON text of a source (RFC 8259), one value after the other, without the whole text in memory."""

import json
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeVar

from ....bundles.conditions.values import Json
from ....bundles.wording import quoted
from ...limits import Limits
from ...source import CHUNK_BYTES, SourceText
from ..bad_document import BadDocument
from ..raw_values import too_deep
from .json_parts import JsonParts

_LONGEST_CHARACTER_BYTES = 4
_WHITESPACE = re.compile(r"[ \t\n\r]*")
_COMMA = re.compile(r"[ \t\n\r]*,[ \t\n\r]*")
_LONGEST_TAIL = 16
"""Characters at the end of the window in which a number, a literal or an escape may be incomplete."""
_WANTS_NAME = "expected a member's name in double quotes"
_EXPECTED = {
    "Expecting value": "expected a value",
    "Expecting ',' delimiter": "expected `,` or the end of the array or object",
    "Expecting ':' delimiter": "expected `:`",
    "Expecting property name": _WANTS_NAME,
}
_MESSAGES = {
    "Unterminated string": "the string does not end",
    "Invalid control character": "a string can't contain the character {found} without an escape",
    "Invalid \\u": "`\\u` needs four hexadecimal digits",
    "Invalid \\escape": "JSON does not have this escape",
}
"""The messages, by the start of the parser's own message. `_EXPECTED` has those that say what was expected."""

_TRAILING_COMMA = "Illegal trailing comma"
"""Python 3.13 and newer say this at the comma. Older ones say at the end behind it what they expected."""

_HELP = {"/": "JSON has no comments", "#": "JSON has no comments", "'": "write double quotes"}
"""The help, by the character that was found instead of the expected one."""


Run = TypeVar("Run")


class Element(NamedTuple):
    """A value of an array and its offset.

    `plain` is true if it certainly has none of the faults that `value_faults` finds, and contains no null.
    """

    value: Json
    offset: int
    plain: bool


class JsonCursor:
    """Reads a text from `offset` on. Its methods raise BadDocument if it is not JSON, and BadText if it is not UTF-8.

    It keeps a window of the text in memory, from the cursor on.
    """

    def __init__(self, text: SourceText, limits: Limits, offset: int = 0):
        self._text, self._limits = text, limits
        number, self._base = text.chunk_at(offset)
        self._window = text.chunk(number)
        self._next_chunk = number + 1
        self._at = offset - self._base
        self._start = self._at
        self._parts = JsonParts(limits)
        self._scan = self._parts.decoder().raw_decode

    @property
    def offset(self) -> int:
        """The number of characters before the cursor."""
        return self._base + self._at

    @property
    def run_characters(self) -> int:
        """The number of characters in which no string can be too long."""
        return self._limits.string_bytes // _LONGEST_CHARACTER_BYTES

    @property
    def bytes_read(self) -> int:
        """The number of bytes that were decoded, in whole chunks."""
        return self._next_chunk * CHUNK_BYTES

    def peek(self) -> str:
        """Moves to the next character that is not white space, and returns it, or "" at the end of the text."""
        while True:
            found = _WHITESPACE.match(self._window, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._window) or not self._extend():
                return self._window[self._at : self._at + 1]

    def take(self, *characters: str) -> str:
        """Moves past the next character, which must be one of `characters`, and returns it."""
        found = self.peek()
        if found not in characters:
            expected = " or ".join(quoted(character) for character in characters)
            raise _unexpected(f"expected {expected}", found, self.offset)
        self._at += 1
        return found

    def value(self) -> Json:
        """Moves past the value at the cursor, and returns it."""
        self.peek()
        while True:
            try:
                value, end = self._scan(self._window, self._at)
            except json.JSONDecodeError as ex:
                if not self._may_be_cut_off(ex) or not self._extend():
                    raise self._syntax_error(ex) from None
            except RecursionError:
                fault = too_deep(self._limits)
                raise BadDocument(fault.code, fault.message, self.offset) from None
            else:
                if end + _LONGEST_TAIL < len(self._window) or not self._extend():
                    self._start, self._at = self._at, end
                    return value

    def text(self) -> str:
        """Returns the text of the last value that was read."""
        return self._window[self._start : self._at]

    def members(self) -> Iterator[tuple[str, int]]:
        """Yields the name of each member of the object at the cursor, with its offset.

        After each name, the caller reads the value.
        """
        self.take("{")
        if self.peek() == "}":
            self.take("}")
            return
        before = "{"
        while True:
            if (found := self.peek()) != '"':
                raise _unexpected(_WANTS_NAME, found, self.offset, before)
            offset = self.offset
            name = self.value()
            self.take(":")
            yield name, offset
            before = self.take(",", "}")
            if before == "}":
                return

    def elements(self, free: bool) -> Iterator[Element]:
        """Yields the elements of the array at the cursor. `free` says whether they can contain JSON of any form."""
        longest = self._limits.key_characters if free else self.run_characters
        self.take("[")
        if self.peek() == "]":
            self.take("]")
            return
        while True:
            self._parts.faulty = False
            value = self.value()
            plain = not self._parts.faulty and self._at - self._start <= longest and not self._has_hint(free)
            yield Element(value, self._base + self._start, plain)
            comma = _COMMA.match(self._window, self._at)
            if comma and comma.end() < len(self._window):
                self._at = comma.end()  # PERF: one step for the comma and the white space around it
            elif self.take(",", "]") == "]":
                return

    def run(self, read: Callable[[str], Run | None]) -> tuple[int, Run] | None:
        """Moves past elements after the one that was read last, as many as `read` can read together.

        Returns their offset and what `read` returns for their text, or None if it can read none of them.
        """
        comma = _COMMA.match(self._window, self._at)
        if comma is None:
            return None
        start = comma.end()
        # If this is not the end of an element, the text is no list of elements, and `read` returns None.
        end = self._window.rfind(f"}}{comma[0]}{{", start, start + self.run_characters) + 1
        found = read(self._window[start:end]) if end else None
        if found is None:
            return None
        self._at = end
        return self._base + start, found

    def _has_hint(self, free: bool) -> bool:
        """Returns whether the last value may contain a null or a lone surrogate, or may be nested too deeply."""
        window, start, end = self._window, self._start, self._at
        if window.find("null", start, end) >= 0 or window.find("\\u", start, end) >= 0:
            return True
        return free and window.count("[", start, end) + window.count("{", start, end) > self._limits.nesting - 2

    def _extend(self) -> bool:
        """Drops the text before the cursor, and doubles the window or more. Returns False at the end of the text."""
        rest = self._window[self._at :]
        parts = [rest]
        added = 0
        while added <= len(rest) and (part := self._text.chunk(self._next_chunk)):
            parts.append(part)
            added += len(part)
            self._next_chunk += 1
        if not added:
            return False
        self._base += self._at
        self._window, self._at = "".join(parts), 0
        return True

    def _may_be_cut_off(self, ex: json.JSONDecodeError) -> bool:
        return ex.pos + _LONGEST_TAIL >= len(self._window) or ex.msg.startswith("Unterminated")

    def _syntax_error(self, ex: json.JSONDecodeError) -> BadDocument:
        at, said = ex.pos, ex.msg
        if said.startswith(_TRAILING_COMMA):
            comma = _COMMA.match(self._window, at)
            assert comma is not None
            at = comma.end()
            said = "Expecting property name" if self._window[at] == "}" else "Expecting value"
        offset, found = self._base + at, self._window[at : at + 1]
        for start, expected in _EXPECTED.items():
            if said.startswith(start):
                return _unexpected(expected, found, offset, self._window[:at].rstrip()[-1:])
        message = next((message for start, message in _MESSAGES.items() if said.startswith(start)), "this is no JSON")
        return BadDocument("syntax", message.format(found=quoted(found)), offset)


def _unexpected(expected: str, found: str, offset: int, before: str = "") -> BadDocument:
    is_behind_comma = found in ("}", "]") and before.rstrip().endswith(",")
    help_text = "leave out the comma before it" if is_behind_comma else _HELP.get(found, "")
    shown = quoted(found) if found else "the end of the document"
    return BadDocument("syntax", f"{expected}, found {shown}", offset, help_text)
