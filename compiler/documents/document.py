"""Reads the documents of a model, JSON and YAML, and merges their lists in the order in which they come."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from ...bundles.file.writer import Progress
from ...bundles.wording import alternatives
from ..diagnostics.diagnostic import Finding, Path
from ..diagnostics.findings import WHOLE_DOCUMENT, Document, DocumentFinding, Findings
from ..limits import Limits
from ..model.elements import LISTS
from ..source import BadText, Source, SourceText, Span
from .bad_document import BadDocument
from .document_handler import ByteProgress, DocumentHandler
from .element_list import ElementList
from .interning import Interner
from .json_document import JsonDocument
from .yaml_document import YamlDocument


class _Readable(Document, Protocol):
    def read(self, handler: DocumentHandler, byte_progress: ByteProgress) -> None:
        """Give everything in the document to `handler`."""


READERS: dict[str, Callable[[Source, Limits], _Readable]] = {
    ".json": JsonDocument,
    ".yaml": YamlDocument,
    ".yml": YamlDocument,
}
"""How a document is read, by the ending of its name."""


class _Unread:
    """A document that was not opened; every finding is about all of it."""

    def __init__(self, source: Source):
        self.source = source
        self.text = SourceText(source)

    def span(self, _path: Path, at_key: bool) -> Span:  # noqa: ARG002 - the protocol names it
        return WHOLE_DOCUMENT


@dataclass(frozen=True, slots=True)
class MergedDocuments:
    """The documents, in order, and their lists, each merged."""

    documents: tuple[Document, ...]
    lists: Mapping[str, ElementList]

    def report(self, found: Iterable[Finding], findings: Findings) -> set[int]:
        """Add findings about the merged lists, each in its own document. Returns the indexes of the policies at fault.

        A finding that follows from what could not be read is no fault of its own, and is left out.
        """
        policies: set[int] = set()
        for finding in found:
            if self._hides(finding.path):
                continue
            document, path = self._origin(finding.path)
            see = self._origin(finding.see) if finding.see else None
            findings.add(DocumentFinding(document, replace(finding, path=path), see=see))
            match finding.path:
                case ("policies", int(index), *_):
                    policies.add(index)
        return policies

    def _origin(self, path: Path) -> tuple[int, Path]:
        """The document, by its number, of an element of a merged list, or of a part of one, and its path there.

        A list as a whole has the place that it has in the document of its first element.
        """
        name, index, rest = _parts(path)
        origin = self.lists[name].origin(index or 0)
        return origin.document, (name,) if index is None else (name, origin.place, *rest)

    def _hides(self, path: Path) -> bool:
        """Whether what is found at `path` follows from what could not be read, and is no fault of its own."""
        name, index, rest = _parts(path)
        recovered = None if index is None else self.lists[name].recovered.get(index)
        return recovered is not None and recovered.hides(rest)


def _parts(path: Path) -> tuple[str, int | None, Path]:
    """A path through the merged lists: the list's name, the element's index, None for the whole list, and the rest."""
    match path:
        case (str(name),):
            return name, None, ()
        case (str(name), int(index), *rest):
            return name, index, tuple(rest)
        case _:
            raise ValueError(f"{path} leads to no element")


def read_documents(
    sources: Sequence[Source], limits: Limits, findings: Findings, progress: Progress
) -> MergedDocuments:
    """Read every document; what can't be read is reported to `findings`, the rest is there."""
    lists = {name: ElementList() for name in LISTS}
    interner = Interner()
    documents: list[Document] = []
    done, total = 0, sum(len(source.data) for source in sources)
    for number, source in enumerate(sources):
        handler = DocumentHandler(number, lists, findings, interner, limits)
        documents.append(_read(source, handler, limits, _byte_progress(progress, done, len(source.data), total)))
        done += len(source.data)
        progress("reading", done, total)
    return MergedDocuments(tuple(documents), lists)


def _read(source: Source, handler: DocumentHandler, limits: Limits, byte_progress: ByteProgress) -> Document:
    kind = next((kind for kind in READERS if source.name.lower().endswith(kind)), None)
    if kind is None:
        message = f"the name of a model document ends in {alternatives(READERS)}"
        handler.abort(Finding("unknown-kind", message, ()), WHOLE_DOCUMENT)
        return _Unread(source)
    if len(source.data) > limits.document_bytes:
        message = f"the document has {len(source.data)} bytes, the limit is {limits.document_bytes}"
        handler.abort(Finding("too-large", message, (), "split it into several documents"), WHOLE_DOCUMENT)
        return _Unread(source)
    document = READERS[kind](source, limits)
    try:
        document.read(handler, byte_progress)
    except BadText as ex:
        handler.abort(Finding("bad-encoding", str(ex), (), "save the document as UTF-8"), Span(ex.offset, 1))
    except BadDocument as ex:
        handler.abort(Finding(ex.code, ex.message, (), ex.help), Span(ex.offset, 1))
    return document


def _byte_progress(progress: Progress, before: int, size: int, total: int) -> ByteProgress:
    return lambda read: progress("reading", before + min(read, size), total)
