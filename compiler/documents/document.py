"""Reads the documents of a model, JSON and YAML, and joins their lists in the order of the documents."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from ...bundles.progress import Progress
from ...bundles.wording import Path, alternatives
from ..diagnostics.diagnostic import Finding
from ..diagnostics.findings import WHOLE_DOCUMENT, Document, DocumentFinding, Findings
from ..language.text_wording import worded
from ..limits import Limits
from ..model.elements import LISTS, SINGLE_MEMBERS
from ..model.single_members import document_path
from ..source import BadText, Source, SourceText, Span
from .bad_document import BadDocument
from .document_handler import ByteProgress, DocumentHandler
from .element_list import ElementList
from .interning import Interner
from .json.json_document import JsonDocument
from .writ_document import WritDocument
from .yaml.document import YamlDocument


class _Readable(Document, Protocol):
    def read(self, handler: DocumentHandler, byte_progress: ByteProgress) -> None:
        """Passes the members of the document to `handler`, and the number of bytes read to `byte_progress`.

        Raises BadDocument and BadText.
        """


READERS: dict[str, Callable[[Source, Limits], _Readable]] = {
    ".json": JsonDocument,
    ".yaml": YamlDocument,
    ".yml": YamlDocument,
    ".writ": WritDocument,
}
"""The reader of a document, by the ending of its name."""


class _Unread:
    """A document that was not read. Its findings are about the whole document."""

    def __init__(self, source: Source):
        self.source = source
        self.text = SourceText(source)

    def span(self, _path: Path, at_key: bool) -> Span:  # noqa: ARG002 - the protocol names it
        return WHOLE_DOCUMENT


@dataclass(frozen=True, slots=True)
class MergedDocuments:
    """The documents, in order, and their joined lists."""

    documents: tuple[Document, ...]
    lists: Mapping[str, ElementList]

    def report(self, found: Iterable[Finding], findings: Findings) -> set[int]:
        """Adds findings about the joined lists to `findings`. Returns the indexes of the policies with a finding.

        It leaves out a finding at a placeholder, because that value could not be read and has a finding already.
        """
        policies: set[int] = set()
        for finding in found:
            if self._hides(finding.path):
                continue
            document, path = self._origin(finding.path)
            see = self._origin(finding.see) if finding.see else None
            said = worded(finding) if self._is_text(document) else finding
            findings.add(DocumentFinding(document, replace(said, path=path), see=see))
            match finding.path:
                case ("policies", int(index), *_):
                    policies.add(index)
        return policies

    def place(self, path: Path) -> tuple[str, int, int]:
        """Returns the file, the line and the column of the value at `path` in the joined lists."""
        number, inner = self._origin(path)
        document = self.documents[number]
        return document.source.name, *document.text.place(document.span(inner, at_key=False).offset)

    def _is_text(self, document: int) -> bool:
        """Returns whether a document is text. Elements that are checked alone have no document."""
        return bool(self.documents) and isinstance(self.documents[document], WritDocument)

    def _origin(self, path: Path) -> tuple[int, Path]:
        """Returns the number of the document that contains the value at `path`, and the value's path there.

        The path of a whole list leads to the list in the document of its first element.
        """
        name, index, rest = _parts(path)
        origin = self.lists[name].origin(index or 0)
        if name in SINGLE_MEMBERS:
            return origin.document, document_path(path)
        return origin.document, (name,) if index is None else (name, origin.place, *rest)

    def _hides(self, path: Path) -> bool:
        """Returns whether a finding at `path` only follows from a value that could not be read."""
        name, index, rest = _parts(path)
        recovered = None if index is None else self.lists[name].recovered.get(index)
        return recovered is not None and recovered.hides(rest)


def _parts(path: Path) -> tuple[str, int | None, Path]:
    """Splits a path into the name of the list, the index of the element (None for the whole list), and the rest."""
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
    """Returns the documents and their elements. It adds a finding to `findings` for each value that can't be read.

    It calls `progress` with the stage `reading`, the bytes read, and all bytes.
    """
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
