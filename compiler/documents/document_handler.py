"""The handler of one document's values: its members told apart, its elements made of the model's classes."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

import msgspec

from ...bundles.conditions.values import Json
from ...bundles.wording import described, quoted
from ..diagnostics.diagnostic import Finding
from ..diagnostics.findings import DocumentFinding, Findings
from ..diagnostics.synonyms import suggest
from ..limits import Limits
from ..model.elements import LISTS, Element
from ..source import Span
from .element_list import ElementList
from .error_recovery import recover
from .interning import Interner
from .raw_values import Unreadable, repeated_member, value_faults
from .read_element import read_element
from .schema_check import type_of
from .schema_findings import describe_shape

VERSION_MEMBER = "model"
MODEL_VERSION = 1
_WRITE_VERSION = f"write `{VERSION_MEMBER}: {MODEL_VERSION}`"

AddElement: TypeAlias = Callable[[Json, bool], None]
"""Takes a list's next element; the flag says that it is known to have none of the faults that any value can have."""

ByteProgress: TypeAlias = Callable[[int], None]
"""Hears, every so often, how many bytes of a document are read."""


class DocumentHandler:
    """Takes the members of one document's root, as a reader of whatever format comes upon them."""

    def __init__(
        self, document: int, lists: Mapping[str, ElementList], findings: Findings, interner: Interner, limits: Limits
    ):
        self._document, self._lists, self._findings = document, lists, findings
        self._interner, self._limits = interner, limits
        self._seen: set[str] = set()

    def report(self, finding: Finding) -> None:
        """Report a finding; its path is the document's own."""
        self._findings.add(DocumentFinding(self._document, finding))

    def begin(self, name: str) -> bool:
        """Begin a member; False where its value is of no use, since the name is unknown or stands there again."""
        if name in self._seen:
            fault = repeated_member(name)
            self.report(Finding(fault.code, fault.message, (name,), fault.help, at_key=True))
            self.mark_incomplete(name)
            return False
        self._seen.add(name)
        if name == VERSION_MEMBER or name in LISTS:
            return True
        help_text = suggest(name, [VERSION_MEMBER, *LISTS])
        self.report(Finding("unknown-member", f"unknown member {quoted(name)}", (name,), help_text, at_key=True))
        return False

    def value(self, name: str, value: Json) -> None:
        """Take the value of a member that is no array of elements."""
        self.mark_incomplete(name)
        for finding in value_faults(value, (name,), self._limits):
            self.report(finding)
        if isinstance(value, Unreadable):
            return
        if name in LISTS:
            form = f"write an array, each element {describe_shape(type_of(LISTS[name]))}"
            help_text = "leave the member out" if value is None else form
            self.report(Finding("wrong-type", f"expected an array, found {described(value)}", (name,), help_text))
        elif not isinstance(value, int) or isinstance(value, bool):
            message = f"expected the number {quoted(MODEL_VERSION)}, found {described(value)}"
            self.report(Finding("wrong-type", message, (name,), _WRITE_VERSION))
        elif value != MODEL_VERSION:
            message = f"the document is of version {quoted(value)}, this reader knows version {quoted(MODEL_VERSION)}"
            self.report(Finding("unknown-version", message, (name,)))

    def elements(self, name: str) -> AddElement:
        """What takes the elements of a list, one after the other."""
        shape, element_list, share = LISTS[name], self._lists[name], self._interner.for_list(name)
        append, convert = element_list.elements.append, msgspec.convert
        index = -1
        element_list.start_run(self._document, 0)

        def take(value: Json, plain: bool) -> None:
            nonlocal index
            index += 1
            element: Element | None
            try:
                element = convert(value, shape) if plain else self._examine(name, index, value)
            except msgspec.ValidationError:
                element = self._examine(name, index, value)
            if element is not None:
                append(share(element) if share else element)

        return take

    def mark_incomplete(self, name: str) -> None:
        """Say that elements of a list could not be read."""
        if name in LISTS:
            self._lists[name].mark_incomplete()

    def end(self) -> None:
        """Say that the document was read to its end."""
        if VERSION_MEMBER not in self._seen:
            message = f"the member {quoted(VERSION_MEMBER)} is missing"
            self.report(Finding("missing-member", message, (), _WRITE_VERSION))

    def abort(self, finding: Finding, span: Span) -> None:
        """Say why the document can't be read any further."""
        self._findings.add(DocumentFinding(self._document, finding, span))
        for name in LISTS:
            self.mark_incomplete(name)

    def _examine(self, name: str, index: int, value: Json) -> Element | None:
        """The element, or None: then every fault of it is reported, and taken what is left of it."""
        read = read_element(name, value, index, self._limits)
        if not read.faults:
            return read.element
        # Where no more diagnostics are listed, nobody would see what else is wrong with it.
        recovered = None if self._findings.is_full else recover(value, LISTS[name], read.faults)
        for fault in read.faults:
            self.report(fault)
        if recovered is None:
            self._lists[name].skip(value, self._document, index)
        else:
            self._lists[name].add_recovered(recovered)
        return None
