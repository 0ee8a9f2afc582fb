"""Renames in documents, in place: everything but the name stays as its author wrote it."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ...bundles.wording import quoted
from ..diagnostics.diagnostic import Diagnostic
from ..diagnostics.findings import Findings
from ..documents.document import MergedDocuments, read_documents
from ..limits import DEFAULTS, Limits
from ..model.elements import SINGLE_MEMBERS, Element, ElementKind
from ..model.same_element import same_element
from ..source import Source
from .references import EVERY, Renamable
from .renamed import NamePlace, Rename, places_of, with_text
from .tokens import NotRenamable, rewritten

_BOM = b"\xef\xbb\xbf"
_HEADER = "header:"


class RenameRefused(Exception):
    """A name can't be changed: it is in use, it does not exist, or it means something else. One sentence."""


class RenamedDocuments(NamedTuple):
    """The documents with the new name, the number of places, and the diagnostics of documents that can't be read.

    With diagnostics, there are no documents.
    """

    sources: tuple[Source, ...]
    places: int
    diagnostics: tuple[Diagnostic, ...] = ()


_Lists = Mapping[ElementKind, Sequence[Element]]


def rename_in(sources: Sequence[Source], rename: Rename, limits: Limits = DEFAULTS) -> RenamedDocuments:
    """Returns the documents with the new name in every place. The others are the same, byte for byte.

    The edited documents are read again and compared with the elements that they should have. Raises RenameRefused if
    the old name is in no document, if the new one is in use or has another meaning, or if a document writes the
    name in a way that can't be edited.
    """
    findings = Findings(limits.diagnostics)
    merged = read_documents(sources, limits, findings, lambda *_: None)
    if findings.errors:
        return RenamedDocuments((), 0, findings.diagnostics(merged.documents))
    lists = _lists(merged)
    _refuse(rename, lists)
    places = [*places_of(rename, rename.old, lists)]
    changed = tuple(_edited(sources, merged, places, rename.new))
    _compare(lists, places, rename, changed, limits)
    return RenamedDocuments(changed, len(places))


def _lists(merged: MergedDocuments) -> _Lists:
    return {kind: merged.lists[kind].elements for kind in ElementKind if kind not in SINGLE_MEMBERS}


def _refuse(rename: Rename, lists: _Lists) -> None:
    what, old, new = rename
    if what in (Renamable.TYPE, Renamable.ACTION) and EVERY in (old, new):
        raise RenameRefused(f"`{EVERY}` stands for all of them, and is no name")
    if what == Renamable.ACTION and _HEADER in (old[: len(_HEADER)], new[: len(_HEADER)]):
        raise RenameRefused(f"`{_HEADER}` begins the name of a header of requests, and no action")
    if next(places_of(rename, old, lists), None) is None:
        raise RenameRefused(f"no document has the {what} {quoted(old)}")
    if next(places_of(rename, new, lists), None) is not None:
        raise RenameRefused(f"there is the {what} {quoted(new)} already")


def _edited(
    sources: Sequence[Source], merged: MergedDocuments, places: Sequence[NamePlace], new: str
) -> Iterator[Source]:
    edits: dict[int, set[tuple[int, int, str]]] = defaultdict(set)
    texts = {}
    for kind, index, path in places:
        number, place = merged.lists[kind].origin(index)
        document = merged.documents[number]
        if number not in texts:
            texts[number] = "".join(document.text.chunks())
        span = document.span((kind, place, *path), at_key=False)
        try:
            edits[number].add(rewritten(document.source.name, texts[number], span.offset, span.length, new))
        except NotRenamable as ex:
            raise _unusual(document.source) from ex
    for number, source in enumerate(sources):
        if number not in edits:
            yield source
            continue
        parts, done, text = [], 0, texts[number]
        for start, end, token in sorted(edits[number]):
            parts += [text[done:start], token]
            done = end
        begin = _BOM if source.data.startswith(_BOM) else b""
        yield Source(source.name, begin + "".join((*parts, text[done:])).encode())


def _compare(
    before: _Lists, places: Sequence[NamePlace], rename: Rename, changed: Sequence[Source], limits: Limits
) -> None:
    """Raises RenameRefused if the edited documents do not have exactly the renamed elements."""
    findings = Findings(limits.diagnostics)
    after = _lists(read_documents(changed, limits, findings, lambda *_: None))
    if findings.errors:
        raise RenameRefused(f"{quoted(rename.new)} can't be a name here: run `writ check` with it")
    paths = defaultdict(list)
    for kind, index, path in places:
        paths[kind, index].append(path)
    for kind, elements in before.items():
        wanted = (with_text(kind, one, paths[kind, at], rename.new) if (kind, at) in paths else one
                  for at, one in enumerate(elements))  # fmt: skip
        if len(elements) != len(after[kind]) or not all(map(same_element, wanted, after[kind])):
            raise RenameRefused(
                f"a document writes a name of `{kind}` in a way that can't be edited, such as an alias or a block:"
                " write it plainly"
            )


def _unusual(source: Source) -> RenameRefused:
    return RenameRefused(f"{quoted(source.name)} writes the name in a way that can't be edited: write it plainly")
