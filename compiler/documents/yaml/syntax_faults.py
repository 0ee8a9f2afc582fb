"""Explains why a text is not YAML, in the words of a policy author, with the line that is wrong."""

import re
from typing import NamedTuple

from ....bundles.wording import quoted

_QUOTE = "put a text that starts with it in quotes"
_STARTS = {
    "while scanning an alias": "an alias",
    "while scanning an anchor": "an anchor",
    "while scanning a block scalar": "a block of text",
}
_BLOCKS = ("while parsing a block collection", "while parsing a block mapping")
_FLOWS = ("while parsing a flow sequence", "while parsing a flow mapping")
_LINE = re.compile(r"(?P<indent> *)(?P<dashes>(?:- +)*)(?P<rest>.*)")
_KEY = re.compile(r"(?P<key>[^\s:#][^:#]*?) *:(?: |$)")


class SyntaxProblem(NamedTuple):
    """A fault as a YAML parser reports it: its words, and the offsets of the fault and of the construct that it was
    reading.
    """

    problem: str
    context: str
    offset: int
    start: int


class Explained(NamedTuple):
    """A fault of syntax in our words: the message, the offset to underline, and the help."""

    message: str
    offset: int
    help: str = ""


class _Line(NamedTuple):
    """A line: its first character, the column of its first word after dashes, and that word's key, or ""."""

    start: int
    indent: int
    key: str
    text: str

    @property
    def has_value(self) -> bool:
        """True if the key has a value on its line."""
        return bool(self.key) and not self.text.split("#")[0].rstrip().endswith(":")


def explain_yaml(text: str, found: SyntaxProblem) -> Explained:
    """Returns the fault of a text that is not YAML."""
    here = text[found.offset : found.offset + 1]
    if found.context in _STARTS and found.offset == found.start + 1:
        message = f"{quoted(text[found.start])} starts {_STARTS[found.context]} here"
        return Explained(message, found.start, _QUOTE)
    if here == "\t":
        return Explained("a tab stands in the indentation", found.offset, "indent with spaces")
    if "cannot start any token" in found.problem:
        return Explained(f"a text without quotes can't start with {quoted(here)}", found.offset, _QUOTE)
    if found.context == "while scanning a simple key":
        return _no_colon(text, found)
    if found.context in _FLOWS:
        return _not_closed(text, found)
    if found.problem.startswith("mapping values are not allowed"):
        return _second_colon(text, found)
    if found.context in _BLOCKS:
        return _indentation(text, found)
    message = (found.problem or "the document is not valid YAML").replace("'", "`")
    return Explained(message + (f" {found.context}" if found.context.startswith("while") else ""), found.offset)


def _no_colon(text: str, found: SyntaxProblem) -> Explained:
    line = _line_at(text, found.start)
    first, _, rest = line.text.strip().lstrip("- ").partition(" ")
    help_text = f"write {quoted(f'{first}: {rest}')}" if rest else f"write {quoted(f'{first}:')} and its value"
    return Explained(f"there is no `:` after {quoted(first)}", found.start, help_text)


def _not_closed(text: str, found: SyntaxProblem) -> Explained:
    opened = text[found.start]
    closing = "]" if opened == "[" else "}"
    if "\n" in text[found.start : found.offset]:
        help_text = f"write {quoted(closing)} at the end, and `,` between the parts"
        return Explained(f"the {quoted(opened)} that opens here is never closed", found.start, help_text)
    return Explained(f"expected `,` or {quoted(closing)} here", found.offset, "")


def _second_colon(text: str, found: SyntaxProblem) -> Explained:
    line, before = _line_at(text, found.offset), _line_before(text, found.offset)
    if before is not None and re.match(r" *-\S", before.text):
        at = before.start + before.text.index("-")
        return Explained("there is no space after the dash of this list", at, "write `- ` before each element")
    first = text.find(":", line.start)
    if first < found.offset:
        return Explained("a second `:` stands in a text without quotes", found.offset, "put the text in quotes")
    return _indented(line, before, found.offset)


def _indentation(text: str, found: SyntaxProblem) -> Explained:
    if found.offset and text[found.offset - 1] in "\"'":
        mark = text[found.offset - 1]
        help_text = "write `''` for a single quote inside single quotes" if mark == "'" else "remove it, or the quotes"
        return Explained("more text follows the closing quote", found.offset, help_text)
    return _indented(_line_at(text, found.offset), _line_before(text, found.offset), found.offset)


def _indented(line: _Line, before: _Line | None, offset: int) -> Explained:
    """Returns the fault of a line whose indentation fits neither the line before it nor an outer one."""
    shown = quoted(line.key or line.text.strip()[:20])
    if before is None:
        return Explained(f"the indentation of {shown} is wrong", offset)
    other = quoted(before.key) if before.key else "the line"
    message = f"{shown} is indented by {line.indent} spaces, and {other} before it by {before.indent}"
    if line.indent > before.indent and before.has_value:
        help_text = f"{quoted(before.key)} has a value already; indent {shown} by {before.indent} spaces too"
    else:
        help_text = f"indent it by {before.indent} spaces if both belong to the same object"
    return Explained(message, offset, help_text)


def _line_at(text: str, offset: int) -> _Line:
    start = text.rfind("\n", 0, offset) + 1
    end = text.find("\n", offset)
    return _line(start, text[start : len(text) if end < 0 else end])


def _line_before(text: str, offset: int) -> _Line | None:
    """Returns the last line before that of `offset` that is neither empty nor a comment."""
    start = text.rfind("\n", 0, offset) + 1
    while start > 0:
        line = _line_at(text, start - 1)
        if line.text.strip() and not line.text.lstrip().startswith("#"):
            return line
        start = line.start
    return None


def _line(start: int, text: str) -> _Line:
    parts = _LINE.match(text)
    assert parts is not None
    key = _KEY.match(parts["rest"])
    return _Line(start, len(parts["indent"]) + len(parts["dashes"]), key["key"] if key else "", text)
