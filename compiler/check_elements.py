"""Checks single elements of a model against the elements that they refer to, without a document around them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from ..bundles.conditions.values import Json
from ..bundles.wording import visible
from .checks.draft import draft_of
from .checks.table import CHECKS
from .diagnostics.diagnostic import Finding, show_path
from .diagnostics.findings import DocumentFinding, Findings
from .documents.document import MergedDocuments
from .documents.element_list import ElementList
from .documents.error_recovery import recover
from .documents.read_element import ReadElement
from .limits import DEFAULTS, Limits
from .model.elements import LISTS, Element

_CHECKED, _DECLARED = 0, 1
"""These stand for the numbers of documents."""

_Read: TypeAlias = Mapping[str, Sequence[ReadElement]]


class ElementFault(NamedTuple):
    """One thing that is wrong with an element; `path` starts there: `$.effect`.

    `element` is the element's list, and its index among those that were checked. It is None for a fault of no single
    element.
    """

    element: tuple[str, int] | None
    code: str
    message: str
    path: str = "$"
    help: str = ""


def check_elements(
    elements: Mapping[str, Sequence[ReadElement]],
    declared: Mapping[str, Sequence[Element]],
    zones: Collection[str],
    limits: Limits = DEFAULTS,
) -> tuple[ElementFault, ...]:
    """Returns the faults of elements, by list, in a model with the elements that are `declared`.

    These are the errors that `load` finds in a document that holds `elements` and then `declared`, in the same order.
    Faults of the declared elements are left out. Only those that the elements refer to need to be declared. If all are,
    the help names the one that a wrong reference may mean. `zones` are the names of the time zones.
    """
    lists = {name: ElementList() for name in LISTS}
    for name in elements.keys() | declared.keys():
        _gather(lists[name], LISTS[name], elements.get(name, ()), declared.get(name, ()))
    draft = draft_of(lists, zones, limits)
    found = [finding for check in CHECKS for finding in check(draft)]
    if not found and not any(read.faults for many in elements.values() for read in many):
        return ()
    findings = Findings(limits.diagnostics)
    for name in LISTS:
        for index, read in enumerate(elements.get(name, ())):
            for fault in read.faults:
                findings.add(DocumentFinding(_CHECKED, replace(fault, path=(name, index, *fault.path[2:]))))
    MergedDocuments((), lists).report(found, findings)
    return _in_order(findings, elements)


def _gather(
    element_list: ElementList, shape: type[Element], checked: Sequence[ReadElement], declared: Sequence[Element]
) -> None:
    """Add the checked elements to a list, or what is left of them, and then the declared ones."""
    element_list.start_run(_CHECKED, 0)
    for index, read in enumerate(checked):
        recovered = recover(read.value, shape, read.faults) if read.faults else None
        if recovered is not None:
            element_list.add_recovered(recovered)
        elif read.faults or read.element is None:
            element_list.skip(read.value, _CHECKED, index)
        else:
            element_list.elements.append(read.element)
    element_list.start_run(_DECLARED, 0)
    element_list.elements += declared


def _in_order(findings: Findings, elements: _Read) -> tuple[ElementFault, ...]:
    """The faults of the checked elements in the order of a document's text; the same at the same place counts once."""
    faults: dict[tuple[tuple[int, ...], str, str], ElementFault] = {}
    for found in findings.listed:
        if found.document == _CHECKED:
            fault = _fault(found)
            faults.setdefault((_place(found.finding, elements), fault.code, fault.message), fault)
    ordered = [faults[key] for key in sorted(faults)]
    if findings.unlisted:
        ordered.append(ElementFault(None, "too-many", f"and {findings.unlisted} more"))
    return tuple(ordered)


def _fault(found: DocumentFinding) -> ElementFault:
    finding, message = found.finding, visible(found.finding.message)
    # Help that tells of another place is of use in a document only.
    help_text = "" if found.see else visible(finding.help)
    match finding.path:
        case (str(name), int(index), *rest):
            return ElementFault((name, index), finding.code, message, show_path(tuple(rest)), help_text)
        case _:
            return ElementFault(None, finding.code, message, help=help_text)


def _place(finding: Finding, elements: _Read) -> tuple[int, ...]:
    """Numbers that sort as the places of findings do in a text: a value before its parts, a name before its value.

    A path that leads to nothing means the nearest value around it.
    """
    name, *steps = finding.path
    value: Json = [read.value for read in elements[str(name)]]
    place = [list(LISTS).index(str(name))]
    for step in steps:
        if isinstance(value, dict) and step in value:
            place.append(2 * list(value).index(step) + 1)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            place.append(2 * step + 1)
        else:
            return tuple(place)
        value = value[step]
    if finding.at_key:
        place[-1] -= 1
    return tuple(place)
