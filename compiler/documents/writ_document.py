"""Reads a document in the `.writ` language, and finds the places of its values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...bundles.wording import Path
from ..diagnostics.diagnostic import Finding
from ..language.statements import Statement, statements
from ..language.syntax_fault import SyntaxFault
from ..limits import Limits
from ..model.elements import SINGLE_MEMBERS, ElementKind
from ..source import Source, SourceText, Span
from .bad_document import BadDocument
from .document_handler import AddElement, ByteProgress, DocumentHandler
from .raw_values import Unreadable

if TYPE_CHECKING:
    from ..language.placed import Placed
    from ..language.reading.statement_clauses import ReadStatement

PROGRESS_STATEMENTS = 1_000
"""The number of statements between two reports of progress."""

_VALUES = frozenset((ElementKind.EXTENSIONS, ElementKind.REQUESTS))
"""The members whose statements say the value that a document has for them, instead of an element."""


class WritDocument:
    """A document in the `.writ` language. It keeps where each statement is, and reads it again to find a place."""

    def __init__(self, source: Source, limits: Limits):
        self.source, self._explained = source, limits.diagnostics
        self.text = SourceText(source)
        self._whole = ""
        self._found: dict[str, list[Statement | SyntaxFault]] = {}
        self._add: dict[str, AddElement] = {}
        self._last: tuple[Statement, ReadStatement] | None = None
        self._values: dict[str, Placed] = {}

    def read(self, handler: DocumentHandler, byte_progress: ByteProgress) -> None:
        """Reads all statements. One that can't be read is a finding; the others are read.

        Raises BadText, and BadDocument for a document without a statement: it would empty the model it is put into.
        """
        self._whole = "".join(self.text.chunks())
        number = -1
        for number, statement in enumerate(statements(self._whole)):
            try:
                element = self._element(statement)
            except SyntaxFault as fault:
                self._lose(fault, handler)
            else:
                self._add_statement(element, statement, handler)
            if number % PROGRESS_STATEMENTS == 0:
                byte_progress(statement.end)
        for name, value in self._values.items():
            handler.value(name, value.value)
        if number < 0:
            raise BadDocument("syntax", "the document has no statement", 0, "write one, such as `role editor`")

    def span(self, path: Path, at_key: bool) -> Span:
        """Returns the span of the value at `path`, or with `at_key`, of its member's name; see `Document.span`."""
        match path:
            case (str(name), *rest) if name in self._values:
                return _span(self._values[name].at(tuple(rest), at_key))
            case (str(name), *rest) if name == ElementKind.ATTRIBUTES:
                return self._declared(tuple(rest), at_key)
            case (str(name), int(index), *rest) if index < len(self._found.get(name, ())):
                found = self._found[name][index]
            case (str(name), *_) if self._found.get(name):
                found, rest = self._found[name][0], []
            case _:
                return Span(0, 1)
        if isinstance(found, SyntaxFault):
            return _span(found)
        value = self._element(found).value
        placed = value.at(tuple(rest), at_key)
        return self._first_line(value) if placed is value else _span(placed)

    def _declared(self, path: Path, at_key: bool) -> Span:
        """Returns the span of a part of the declared attributes, which several statements say together."""
        for found in self._found.get(ElementKind.ATTRIBUTES, ()):
            if isinstance(found, SyntaxFault):
                continue
            value = self._element(found).value
            parts: object = value.value
            for step in path:
                parts = parts.get(step) if isinstance(parts, dict) else None
            if parts is not None:
                return _span(value.at(path, at_key))
        return Span(0, 1)

    def _element(self, statement: Statement) -> ReadStatement:
        """Returns the element of a statement. Raises SyntaxFault.

        PERF: it remembers the last one, because a long statement may have a thousand findings.
        """
        if self._last and self._last[0] == statement:
            return self._last[1]
        # PERF: Lark takes 0.1 s to load, which only those who read this language pay.
        from ..language.parse import parse

        self._last = statement, parse(self._whole, statement, self._explained > 0).element
        return self._last[1]

    def _lose(self, fault: SyntaxFault, handler: DocumentHandler) -> None:
        """Reports a statement that can't be read, as an element of its list if that is known."""
        self._explained -= 1
        if fault.list_name is None or fault.list_name in SINGLE_MEMBERS:
            handler.report_at(Finding("syntax", fault.message, (), fault.help), _span(fault))
        else:
            unreadable = Unreadable("syntax", fault.message, fault.help, fault.id)
            self._adder(fault.list_name, fault, handler)(unreadable, False)

    def _add_statement(self, read: ReadStatement, statement: Statement, handler: DocumentHandler) -> None:
        """Adds the element of a statement. The names in several statements about extensions are one value."""
        name = read.list_name
        if name not in _VALUES:
            self._adder(name, statement, handler)(read.value.value, False)
        elif name not in self._values:
            self._values[name] = read.value
        elif name == ElementKind.EXTENSIONS:
            self._values[name].parts += read.value.parts
            self._values[name].value += read.value.value

    def _adder(self, name: str, found: Statement | SyntaxFault, handler: DocumentHandler) -> AddElement:
        """Returns the function that adds an element to a list, and remembers where the element is."""
        if name not in self._add:
            self._add[name], self._found[name] = handler.elements(name), []
        self._found[name].append(found)
        return self._add[name]

    def _first_line(self, element: Placed) -> Span:
        """Returns the span of an element: its first line, because the rest says what is in it."""
        line_end = self._whole.find("\n", element.start, element.end)
        return Span(element.start, (element.end if line_end < 0 else line_end) - element.start)


def _span(placed: Placed | SyntaxFault) -> Span:
    return Span(placed.start, max(placed.end - placed.start, 1))
