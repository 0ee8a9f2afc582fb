"""The findings of one run: collected up to a limit, and then turned into sorted diagnostics with places."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from ...bundles.wording import Path, show_path, visible
from ..source import Source, SourceText, Span
from .diagnostic import Diagnostic, Finding, Severity

WHOLE_DOCUMENT = Span(-1, 0)
"""The span of a finding about a document as a whole."""


class Document(Protocol):
    """A document that finds the places of its values."""

    @property
    def source(self) -> Source:
        """The source of the document."""

    @property
    def text(self) -> SourceText:
        """The text of the document."""

    def span(self, path: Path, at_key: bool) -> Span:
        """Returns the span of the value at `path`, or with `at_key`, of the member's name.

        If there is no such value, it returns the span of the nearest value around it.
        """


@dataclass(frozen=True, slots=True)
class DocumentFinding:
    """A finding in one document, which is given by its number. The path of the finding starts at that document.

    If the path does not lead to the place, `span` is the place. `see` is the element whose place the help gives, as
    (number of its document, path there).
    """

    document: int
    finding: Finding
    span: Span | None = None
    see: tuple[int, Path] | None = None


class Findings:
    """Collects findings. Two findings with the same code, message and place count as one."""

    def __init__(self, limit: int):
        """`limit` is the number of findings that are listed. Further findings are only counted."""
        self.errors = 0
        self._limit = limit
        self._listed: dict[tuple[int, str, str, Path, bool, Span | None], DocumentFinding] = {}
        self._unlisted = 0
        self._errors_listed = 0

    @property
    def listed(self) -> Collection[DocumentFinding]:
        """The listed findings, in the order in which they were added."""
        return self._listed.values()

    @property
    def unlisted(self) -> int:
        """The number of findings that are not listed."""
        return self._unlisted

    @property
    def is_full(self) -> bool:
        """True if further findings are only counted."""
        return len(self._listed) >= self._limit

    def add(self, found: DocumentFinding) -> None:
        """Adds a finding, or only counts it if the list is full."""
        finding = found.finding
        key = (found.document, finding.code, finding.message, finding.path, finding.at_key, found.span)
        if key in self._listed:
            return
        self.errors += finding.severity == "error"
        if self.is_full:
            self._unlisted += 1
        else:
            self._listed[key] = found
            self._errors_listed = self.errors

    def diagnostics(self, documents: Sequence[Document]) -> tuple[Diagnostic, ...]:
        """Returns the listed findings, sorted by file, line, column, code and message.

        If there are more, the last diagnostic has the code `too-many`. Its severity is `error` if an unlisted finding
        is an error.
        """
        placed = [_place(found, documents) for found in self._listed.values()]
        # A value with several YAML aliases is found at several paths. Its fault has one place, so it is reported once.
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
    return f"the first one is at {document.source.name}:{place.line}:{place.column}"
