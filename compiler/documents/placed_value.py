"""Reads JSON and YAML documents other than models into plain values, and finds the places of their parts."""

from collections.abc import Callable
from typing import NamedTuple, Protocol

from ...bundles.conditions.values import Json
from ..diagnostics.diagnostic import Finding
from ..diagnostics.findings import Document, DocumentFinding, Findings
from ..limits import Limits
from ..source import BadText, Source, Span
from .bad_document import BadDocument, EmptyDocument
from .json.json_document import JsonDocument
from .raw_values import Unreadable, value_faults
from .yaml.document import YamlDocument


class _Valued(Document, Protocol):
    def value(self) -> Json:
        """Returns the whole document as one value. Raises BadDocument and BadText."""


_READERS: dict[str, Callable[[Source, Limits], _Valued]] = {
    ".json": JsonDocument,
    ".yaml": YamlDocument,
    ".yml": YamlDocument,
}

ENDINGS = tuple(_READERS)
"""The endings of the names of these documents."""


class PlacedValue(NamedTuple):
    """A document and its value. The value is None, with a finding, if the document has a part that can't be read."""

    document: Document
    value: Json


def read_value(source: Source, limits: Limits, findings: Findings, empty_help: str) -> PlacedValue:
    """Returns the value of a document. Adds a finding for each part that can't be read; then there is no value.

    `empty_help` says what to write into an empty document. The name of the source ends in one of ENDINGS. The findings'
    paths start at the root, and the document is number 0.
    """
    document = _READERS[next(ending for ending in ENDINGS if source.name.endswith(ending))](source, limits)
    try:
        value = document.value()
    except BadText as ex:
        _add(findings, Finding("bad-encoding", str(ex), (), "save the document as UTF-8"), Span(ex.offset, 1))
        return PlacedValue(document, None)
    except EmptyDocument as ex:
        _add(findings, Finding(ex.code, ex.message, (), empty_help), Span(ex.offset, 1))
        return PlacedValue(document, None)
    except BadDocument as ex:
        _add(findings, Finding(ex.code, ex.message, (), ex.help), Span(ex.offset, 1))
        return PlacedValue(document, None)
    faults = list(value_faults(value, (), limits))
    for fault in faults:
        _add(findings, fault, None)
    return PlacedValue(document, None if faults or isinstance(value, Unreadable) else value)


def _add(findings: Findings, finding: Finding, span: Span | None) -> None:
    findings.add(DocumentFinding(0, finding, span))
