"""A submitted model: documents that were checked as one model, with the texts of their elements as they were given."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import msgspec

from ....bundles.conditions.values import Json
from ....bundles.zones import zone_names
from ....compiler.diagnostics.diagnostic import Diagnostic, Finding, Severity
from ....compiler.documents.document import READERS
from ....compiler.documents.document_handler import AddElement, DocumentHandler
from ....compiler.limits import DEFAULTS, Limits
from ....compiler.load import load
from ....compiler.model.elements import LISTS, SINGLE_MEMBERS, Element, ElementKind, Model
from ....compiler.source import Source
from ..elements.element_bodies import Body, decode_body, encode_body, merged
from ..elements.kinds import MADE_IDS
from ..errors import BodyFault, Rejected

_BOM = b"\xef\xbb\xbf"
_members = msgspec.json.Decoder(dict[str, msgspec.Raw])
_items = msgspec.json.Decoder(list[msgspec.Raw])


@dataclass(frozen=True, slots=True)
class SubmittedModel:
    """A model and its source documents. `lists` are the names of the lists in the documents, in order.

    `warnings` are those of the lints, if the documents were read here.
    """

    model: Model
    lists: tuple[str, ...]
    documents: tuple[Mapping[str, Sequence[msgspec.Raw | Body]], ...]
    warnings: tuple[BodyFault, ...] = ()

    @classmethod
    def read(cls, sources: Sequence[Source], now: float | None = None, limits: Limits = DEFAULTS) -> "SubmittedModel":
        """Returns the model in the documents together. Raises Rejected with all their faults.

        `now` is the instant in epoch seconds, by which the warnings say what has expired.
        """
        loaded = load(sources, zone_names(), limits=limits, now=now)
        if loaded.model is None:
            raise Rejected(_faults(loaded.diagnostics, "error"))
        return replace(cls.of(loaded.model, sources), warnings=_faults(loaded.diagnostics, "warning"))

    @classmethod
    def of(cls, model: Model, sources: Sequence[Source]) -> "SubmittedModel":
        """Returns the same for documents that were read already, and their model."""
        documents = tuple(map(_given_elements, sources))
        return cls(model, tuple(dict.fromkeys(name for one in documents for name in one)), documents)

    def elements(self, name: str) -> Sequence[Element]:
        """Returns the elements of a list."""
        found: Sequence[Element] = getattr(self.model, name)
        return found

    def texts(self, name: str) -> Iterator[bytes]:
        """Yields the texts of a list's elements, in order: as they were given, with the made ids.

        A single member that several documents have is one.
        """
        made_ids = name in MADE_IDS
        given: Iterator[msgspec.Raw | Body] = (one for document in self.documents for one in document.get(name, ()))
        if name == ElementKind.ATTRIBUTES:
            given = _joined(given)
        elif name in SINGLE_MEMBERS:
            given = map(msgspec.to_builtins, self.elements(name))
        for element, one in zip(self.elements(name), given, strict=True):
            body = decode_body(one) if isinstance(one, msgspec.Raw) else one
            if made_ids and "id" not in body:
                body = {"id": getattr(element, "id")} | body  # noqa: B009 - only some elements have one
            yield encode_body(body)


class _ValueCollector(DocumentHandler):
    """Collects the values of a document that is known to be right."""

    def __init__(self) -> None:
        self.lists: dict[str, list[Body]] = defaultdict(list)

    def begin(self, _name: str) -> bool:
        return True

    def value(self, name: str, value: Json) -> None:
        if name in SINGLE_MEMBERS:
            self.lists[name].append(value)

    def elements(self, name: str) -> AddElement:
        append = self.lists[name].append
        return lambda value, _plain: append(value)

    def report(self, finding: Finding) -> None:
        raise AssertionError(f"a checked document has no fault: {finding}")

    def end(self) -> None:
        pass


def _joined(given: Iterable[msgspec.Raw | Body]) -> Iterator[Body]:
    """Yields the objects of all documents as one, if there are any."""
    bodies = [decode_body(one) if isinstance(one, msgspec.Raw) else one for one in given]
    if bodies:
        yield reduce(merged, bodies)


def _faults(diagnostics: Sequence[Diagnostic], severity: Severity) -> tuple[BodyFault, ...]:
    found = (one for one in diagnostics if one.severity == severity)
    return tuple(BodyFault(one.code, one.path, one.message, one.help, place=_place(one)) for one in found)


def _place(diagnostic: Diagnostic) -> tuple[int, int] | None:
    """Returns line and column, if a person wrote the document: JSON that a program sends may be one line."""
    known = diagnostic.line and not diagnostic.file.endswith(".json")
    return (diagnostic.line, diagnostic.column) if known else None


def _given_elements(source: Source) -> Mapping[str, Sequence[Any]]:
    """Returns the elements of a checked document by list, as they were given.

    PERF: the parts of a JSON document are slices of it, which takes 0.5 µs an element.
    """
    ending = next(ending for ending in READERS if source.name.lower().endswith(ending))
    if ending == ".json":
        members = _members.decode(source.data.removeprefix(_BOM))
        return {
            name: [text] if name in SINGLE_MEMBERS else _items.decode(text)
            for name, text in members.items()
            if name in LISTS
        }
    collector = _ValueCollector()
    READERS[ending](source, DEFAULTS).read(collector, lambda _: None)
    return collector.lists
