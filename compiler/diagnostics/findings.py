"""Findings of one run: collected up to a limit, then placed in their documents and sorted as diagnostics."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from ...bundles.wording import visible
from ..source import Source, SourceText, Span
from .diagnostic import Diagnostic, Finding, Path, Severity, show_path

WHOLE_DOCUMENT = Span(-1, 0)
"""The span of a finding that is about a document as a whole."""


class Document(Protocol):
    """What a finding's place is looked up in."""

    @property
    def source(self) -> Source:
        """The document as it was found."""

    @property
    def text(self) -> SourceText:
        """Its text."""

    def span(self, path: Path, at_key: bool) -> Span:
        """Where the value at `path` stands, or its member's name; the nearest one around it where there is none."""


@dataclass(frozen=True, slots=True)
class DocumentFinding:
    """A finding in a document, which is given by its number; the paths are that document's own.

    `span` is the place where the path does not lead to it. `see` is the element, and its document, that help names.
    """

    document: int
    finding: Finding
    span: Span | None = None
    see: tuple[int, Path] | None = None


class Findings:
    """Collects what is wrong. The same code and message at the same place is the same finding."""

    def __init__(self, limit: int):
        self.errors = 0
        self._limit = limit
        self._listed: dict[tuple[int, str, str, Path, bool], DocumentFinding] = {}
        self._unlisted = 0
        self._errors_listed = 0

    @property
    def listed(self) -> Collection[DocumentFinding]:
        """What is listed, in the order in which it was found."""
        return self._listed.values()

    @property
    def unlisted(self) -> int:
        """How many more were found."""
        return self._unlisted

    @property
    def is_full(self) -> bool:
        """Whether more are only counted."""
        return len(self._listed) >= self._limit

    def add(self, found: DocumentFinding) -> None:
        """Add a finding, or count it where as many as the limit allows are there already."""
        finding = found.finding
        key = (found.document, finding.code, finding.message, finding.path, finding.at_key)
        if key in self._listed:
            return
        self.errors += finding.severity == "error"
        if self.is_full:
            self._unlisted += 1
        else:
            self._listed[key] = found
            self._errors_listed = self.errors

    def diagnostics(self, documents: Sequence[Document]) -> tuple[Diagnostic, ...]:
        """All that was found, by file, line, column, code and message; what is over the limit as one `too-many`."""
        placed = [_place(found, documents) for found in self._listed.values()]
        # What an alias repeats is found at every path that leads to it, and is one fault at one place.
        listed = list({_order(shown): shown for shown in reversed(placed)}.values())
        listed.sort(key=_order)
        if self._unlisted:
            severity: Severity = "error" if self.errors > self._errors_listed else "warning"
            listed.append(Diagnostic("too-many", severity, f"and {self._unlisted} more", "", 0, 0, "$"))
        return tuple(listed)


def _order(shown: Diagnostic) -> tuple[str, int, int, str, str]:
    return shown.file, shown.line, shown.column, shown.code, shown.message


def _place(found: DocumentFinding, documents: Sequence[Document]) -> Diagnostic:
    finding, document = found.finding, documents[found.document]
    span = document.span(finding.path, finding.at_key) if found.span is None else found.span
    line, column = (0, 0) if span is WHOLE_DOCUMENT else document.text.place(span.offset)
    return Diagnostic(
        code=finding.code,
        severity=finding.severity,
        message=visible(finding.message),
        file=document.source.name,
        line=line,
        column=column,
        path=show_path(finding.path),
        help=visible(finding.help if found.see is None else _see(found.see, documents)),
        length=span.length,
    )


def _see(see: tuple[int, Path], documents: Sequence[Document]) -> str:
    document = documents[see[0]]
    place = document.text.place(document.span(see[1], at_key=False).offset)
    return f"the first one stands at {document.source.name}:{place.line}:{place.column}"
