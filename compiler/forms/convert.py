"""Writes the documents of a model in another form, as one document."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ...bundles.progress import Progress
from ..diagnostics.diagnostic import Diagnostic
from ..diagnostics.findings import Findings
from ..documents.document import read_documents
from ..limits import DEFAULTS, Limits
from ..model.elements import LISTS, Element, ElementKind
from ..model.same_element import same_element
from ..model.single_members import joined
from ..source import Source
from .all_forms import FORMS
from .form import body_of, document

_Lists = Mapping[ElementKind, Sequence[Element]]


class Converted(NamedTuple):
    """The text of the document, or None if the sources have faults; and these faults."""

    text: bytes | None
    diagnostics: tuple[Diagnostic, ...]


class NotInForm(Exception):
    """An element can't be written in the form, because a value in it means nothing. The message is one sentence."""


def convert(
    sources: Sequence[Source], form: str, progress: Progress = lambda *_: None, limits: Limits = DEFAULTS
) -> Converted:
    """Returns the elements of all `sources` in one document of the form, which `FORMS` names.

    The sources need not be a whole model: an element may name others that they lack. The written document is read back
    and compared. Raises NotInForm if an element would change, which only a faulty one does.
    """
    findings = Findings(limits.diagnostics)
    merged = read_documents(sources, limits, findings, progress)
    if findings.errors:
        return Converted(None, findings.diagnostics(merged.documents))
    lists = {ElementKind(name): joined(name, one.elements) for name, one in merged.lists.items() if one.elements}
    text = b"".join(document(FORMS[form](), ((kind, map(body_of, elements)) for kind, elements in lists.items())))
    _compare(lists, Source(f"written.{form}", text), limits)
    return Converted(text, ())


def _compare(lists: _Lists, written: Source, limits: Limits) -> None:
    """Raises NotInForm if the written document does not have the elements of the lists."""
    findings = Findings(limits.diagnostics)
    again = read_documents([written], limits, findings, lambda *_: None)
    for kind in LISTS:
        before, after = lists.get(ElementKind(kind), ()), joined(kind, again.lists[kind].elements)
        for index, element in enumerate(before):
            if index >= len(after) or not same_element(element, after[index]):
                name = getattr(element, "id", None) or f"number {index + 1}"
                raise NotInForm(f"`{name}` of `{kind}` can't be written as {_ending(written)}: run `writ check`")


def _ending(source: Source) -> str:
    return source.name.rpartition(".")[2]
