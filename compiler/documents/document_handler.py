"""Handles the values that a reader finds in one document, and makes elements of the model from them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

import msgspec

from ...bundles.conditions.values import Json
from ...bundles.wording import described, quoted
from ..diagnostics.diagnostic import Finding
from ..diagnostics.findings import DocumentFinding, Findings
from ..diagnostics.synonyms import suggest
from ..limits import Limits
from ..model.elements import LISTS, SINGLE_MEMBERS, DeclaredAttributes, Element, ElementKind
from ..model.single_members import document_path, element_of
from ..source import Span
from .element_list import ElementList
from .error_recovery import recover
from .interning import Interner
from .misplaced import belongs_elsewhere
from .raw_values import Unreadable, repeated_member, value_faults
from .read_element import read_element
from .schema_check import type_of
from .schema_findings import describe_shape

VERSION_MEMBER = "model"
"""The member of a document that gives its version."""

MODEL_VERSION = 1
"""The only version of documents that this reader knows."""

_WRITE_VERSION = f"write `{VERSION_MEMBER}: {MODEL_VERSION}`"

AddElement: TypeAlias = Callable[[Json, bool], None]
"""Adds the next element of a list, given as its raw value.

The flag is true if the value certainly has none of the faults that `value_faults` finds, and contains no null.
"""

ByteProgress: TypeAlias = Callable[[int], None]
"""Called now and then with the number of bytes of a document that were read."""

_FORMS: Final[Mapping[str, tuple[str, str]]] = {
    ElementKind.EXTENSIONS: ("an array", "an array of strings"),
    ElementKind.REQUESTS: (quoted("strict"), quoted("strict")),
    ElementKind.ATTRIBUTES: ("an object", describe_shape(type_of(DeclaredAttributes))),
}
"""The value of each single member, in a message and in its help."""


class DocumentHandler:
    """Handles the members of one document's root. The readers of all formats call its methods."""

    def __init__(
        self, document: int, lists: Mapping[str, ElementList], findings: Findings, interner: Interner, limits: Limits
    ):
        """`document` is the number of the document. The handler adds to `lists` and `findings`."""
        self._document, self._lists, self._findings = document, lists, findings
        self._interner, self._limits = interner, limits
        self._seen: set[str] = set()
        self._counts: dict[str, int] = {}

    def report(self, finding: Finding) -> None:
        """Reports a finding, whose path starts at the document's root."""
        self._findings.add(DocumentFinding(self._document, finding))

    def report_at(self, finding: Finding, span: Span) -> None:
        """Reports a finding at a place to which no path leads. An element of any list may be lost there."""
        self._findings.add(DocumentFinding(self._document, finding, span))
        for name in LISTS:
            self.mark_incomplete(name)

    def begin(self, name: str) -> bool:
        """Begins a member, and returns True. If its name is unknown or repeated, it reports that and returns False.

        Then the reader skips the value.
        """
        if name in self._seen:
            fault = repeated_member(name)
            self.report(Finding(fault.code, fault.message, (name,), fault.help, at_key=True))
            self.mark_incomplete(name)
            return False
        self._seen.add(name)
        if name == VERSION_MEMBER or name in LISTS:
            return True
        help_text = belongs_elsewhere(name, ()) or suggest(name, [VERSION_MEMBER, *LISTS])
        self.report(Finding("unknown-member", f"unknown member {quoted(name)}", (name,), help_text, at_key=True))
        return False

    def value(self, name: str, value: Json) -> None:
        """Handles the value of a member that is not an array of elements."""
        if _may_be_element(name, value):
            self.elements(name)(element_of(name, value), False)
            return
        self.mark_incomplete(name)
        for finding in value_faults(value, (name,), self._limits):
            self.report(finding)
        if isinstance(value, Unreadable):
            return
        if name in LISTS:
            self.report(_wrong_type(name, value))
        elif not isinstance(value, int) or isinstance(value, bool):
            message = f"expected the number {quoted(MODEL_VERSION)}, found {described(value)}"
            self.report(Finding("wrong-type", message, (name,), _WRITE_VERSION))
        elif value != MODEL_VERSION:
            message = f"the document has version {quoted(value)}, this Writ knows only version {quoted(MODEL_VERSION)}"
            self.report(Finding("unknown-version", message, (name,)))

    def elements(self, name: str) -> AddElement:
        """Returns the function that adds the elements of a list, one after the other."""
        shape, element_list, share = LISTS[name], self._lists[name], self._interner.for_list(name)
        append, convert, counts = element_list.elements.append, msgspec.convert, self._counts
        counts[name] = 0
        element_list.start_run(self._document, 0)

        def take(value: Json, plain: bool) -> None:
            index = counts[name]
            counts[name] = index + 1
            element: Element | None
            try:
                element = convert(value, shape) if plain else self._examine(name, index, value)
            except msgspec.ValidationError:
                element = self._examine(name, index, value)
            if element is not None:
                append(share(element) if share else element)

        return take

    def add_sound(self, name: str, elements: Sequence[Element]) -> None:
        """Adds the next elements of a list, which have no faults. `elements` was called for the list."""
        share = self._interner.for_list(name)
        self._lists[name].elements += map(share, elements) if share else elements
        self._counts[name] += len(elements)

    def mark_incomplete(self, name: str) -> None:
        """Records that elements of a list could not be read. Any other name is ignored."""
        if name in LISTS:
            self._lists[name].mark_incomplete()

    def end(self) -> None:
        """Ends a document that was read completely."""
        if VERSION_MEMBER not in self._seen:
            message = f"the member {quoted(VERSION_MEMBER)} is missing"
            self.report(Finding("missing-member", message, (), _WRITE_VERSION))

    def abort(self, finding: Finding, span: Span) -> None:
        """Ends a document that can't be read any further; `finding` says why."""
        self.report_at(finding, span)

    def _examine(self, name: str, index: int, value: Json) -> Element | None:
        """Returns the element of a value without faults. Otherwise, it reports the faults and returns None.

        It adds the parts of the element that it can recover to the list.
        """
        read = read_element(name, value, index, self._limits)
        if not read.faults:
            return read.element
        # If the list of diagnostics is full, further faults of a recovered element would not be shown.
        recovered = None if self._findings.is_full else recover(value, LISTS[name], read.faults)
        for fault in read.faults:
            self.report(replace(fault, path=document_path(fault.path)))
        if recovered is None:
            self._lists[name].skip(value, self._document, index)
        else:
            self._lists[name].add_recovered(recovered)
        return None


def _may_be_element(name: str, value: Json) -> bool:
    """Returns whether the value of a member can be read as an element, which is checked as those of lists are."""
    if name == ElementKind.ATTRIBUTES:
        return isinstance(value, dict)
    return name in SINGLE_MEMBERS and value is not None and not isinstance(value, Unreadable)


def _wrong_type(name: str, value: Json) -> Finding:
    """Returns the finding for the value of a list or a single member that has no element."""
    expected, form = _FORMS.get(name) or ("an array", f"an array, each element {describe_shape(type_of(LISTS[name]))}")
    help_text = "leave the member out" if value is None else f"write {form}"
    return Finding("wrong-type", f"expected {expected}, found {described(value)}", (name,), help_text)
