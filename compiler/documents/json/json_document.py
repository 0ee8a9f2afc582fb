"""Reads a JSON model document (RFC 8259) element by element, and finds the places of its values."""

from ....bundles.conditions.values import Json
from ....bundles.wording import Path
from ...limits import Limits
from ...model.elements import LISTS, SINGLE_MEMBERS
from ...source import Source, SourceText, Span
from ..bad_document import BadDocument, EmptyDocument
from ..document_handler import ByteProgress, DocumentHandler
from ..schema_check import allows_any_json
from .json_cursor import JsonCursor
from .json_places import locate, token_length
from .json_runs import LISTS_IN_RUNS, ElementOffsets, run_reader

PROGRESS_ELEMENTS = 10_000
"""The number of elements between two reports of progress."""

_LONGEST_UNDERLINE = 200


class JsonDocument:
    """A JSON document. It keeps the offsets of elements, and reads the text again to find a place."""

    def __init__(self, source: Source, limits: Limits):
        self.source = source
        self.text = SourceText(source)
        self._limits = limits
        self._root = 0
        self._names: dict[str, int] = {}
        self._values: dict[str, int] = {}
        self._starts: dict[str, ElementOffsets] = {}
        self._last: tuple[int, str] = (-1, "")
        self._is_whole = False

    def value(self) -> Json:
        """Returns the whole document as one value. What can't be read in it is Unreadable. Raises as `read`."""
        self._is_whole = True
        cursor = JsonCursor(self.text, self._limits)
        if not cursor.peek():
            raise EmptyDocument(cursor.offset)
        self._root = cursor.offset
        value = cursor.value()
        if cursor.peek():
            raise _more_text(cursor)
        return value

    def read(self, handler: DocumentHandler, byte_progress: ByteProgress) -> None:
        """Reads the whole document. Raises BadDocument and BadText; `handler` keeps the elements before the fault."""
        cursor = JsonCursor(self.text, self._limits)
        cursor.peek()
        self._root = cursor.offset
        if not cursor.peek():
            raise EmptyDocument(self._root, 'write `{"model": 1}`')
        if cursor.peek() != "{":
            cursor.value()
            help_text = 'write `{"model": 1}` with the lists in it'
            raise BadDocument("wrong-type", "a model document is an object", self._root, help_text)
        for name, offset in cursor.members():
            is_array = cursor.peek() == "["
            self._names[name], self._values[name] = offset, cursor.offset
            if not handler.begin(name):
                cursor.value()
            elif is_array and name in LISTS and name not in SINGLE_MEMBERS:
                self._read_list(name, cursor, handler, byte_progress)
            else:
                handler.value(name, cursor.value())
        if cursor.peek():
            raise _more_text(cursor)
        handler.end()

    def _read_list(self, name: str, cursor: JsonCursor, handler: DocumentHandler, byte_progress: ByteProgress) -> None:
        starts = self._starts[name] = ElementOffsets()
        take = handler.elements(name)
        read = run_reader(name) if name in LISTS_IN_RUNS else None
        report_at, read_at = PROGRESS_ELEMENTS, 0
        for value, offset, plain in cursor.elements(allows_any_json(LISTS[name])):
            starts.add(offset)
            take(value, plain)
            if read and cursor.offset >= read_at:
                while run := cursor.run(read):
                    starts.add(run[0], len(run[1]))
                    handler.add_sound(name, run[1])
                read_at = cursor.offset + cursor.run_characters  # a faulty element is not tried again and again
            if len(starts) >= report_at:
                byte_progress(cursor.bytes_read)
                report_at += PROGRESS_ELEMENTS

    def span(self, path: Path, at_key: bool) -> Span:
        """Returns the span of the value at `path`, or with `at_key`, of its member's name; see `Document.span`."""
        if self._is_whole:
            return self._inside(self._root, path, at_key)
        match path:
            case (str(name), int(index), *rest) if index < len(self._starts.get(name, ())):
                return self._inside(self._offset_of(name, index), tuple(rest), at_key)
            case (str(name), *_) if name in self._names and at_key and len(path) == 1:
                return self._inside(self._names[name], (), at_key=False)
            case (str(name), *rest) if name in self._values:
                return self._inside(self._values[name], tuple(rest), at_key)
            case _:
                return self._inside(self._root, (), at_key=False)

    def _offset_of(self, name: str, index: int) -> int:
        offset, further = self._starts[name].nearest(index)
        cursor = JsonCursor(self.text, self._limits, offset)
        for _ in range(further):
            cursor.value()
            cursor.take(",")
            cursor.peek()
        return cursor.offset

    def _inside(self, offset: int, path: Path, at_key: bool) -> Span:
        """Returns the span of the value at `path` inside the value at `offset`."""
        if not path:
            return Span(offset, token_length(self.text.slice(offset, offset + _LONGEST_UNDERLINE), 0))
        if self._last[0] != offset:
            cursor = JsonCursor(self.text, self._limits, offset)
            cursor.value()
            self._last = (offset, cursor.text())
        try:
            inner = locate(self._last[1], path, at_key)
        except RecursionError:
            return Span(offset, 1)
        return Span(offset + inner.offset, inner.length)


def _more_text(cursor: JsonCursor) -> BadDocument:
    return BadDocument("syntax", "there is more text after the end of the document", cursor.offset)
