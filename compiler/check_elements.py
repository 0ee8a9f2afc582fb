"""Checks single elements of a model, without a document, against the elements that they refer to."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from ..bundles.conditions.values import Json
from ..bundles.wording import show_path, visible
from .checks.all_checks import CHECKS
from .checks.draft import draft_of
from .diagnostics.diagnostic import Finding
from .diagnostics.findings import DocumentFinding, Findings
from .documents.document import MergedDocuments
from .documents.element_list import ElementList
from .documents.error_recovery import recover
from .documents.read_element import ReadElement
from .limits import DEFAULTS, Limits
from .lints.all_lints import lint_alone
from .lints.routes.idle_anonymous import idle_mark
from .lints.silencing import is_silenced
from .model.elements import LISTS, Element, ElementKind, Policy, Route, SilencedLint
from .model.single_members import inside_element

_CHECKED, _DECLARED = 0, 1
"""The document numbers of findings: one for the checked elements, one for the declared ones. There are no documents."""

_Read: TypeAlias = Mapping[str, Sequence[ReadElement]]


class ElementFault(NamedTuple):
    """A fault of an element, or a warning about it. `path` starts at the element, like `$.effect`.

    `element` is the name of the element's list, and its index among the checked elements of that list. It is None if
    the fault does not belong to a single element.
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
    """Returns the faults of `elements` in a model that also has the elements in `declared`. Both are given by list.

    The faults are the errors that `load` finds in a document with `elements` followed by `declared`, in the same order.
    Faults of the declared elements are left out. `declared` needs only the elements that `elements` refer to. If it has
    all elements of the model, the help can name the one that a wrong reference may mean. `zones` are the names of the
    known time zones.
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


def element_warnings(
    read: ReadElement,
    silences: Callable[[], Iterable[SilencedLint]] = tuple,
    names_anonymous: Callable[[], bool | None] = lambda: None,
) -> tuple[ElementFault, ...]:
    """Returns the warnings about one element that need no other element, in the order of its text.

    They are those that `lint_model` finds in every model with this element and with what `silences` returns. It is
    called only if there are warnings. Only policies and routes have any. For a marked route, `names_anonymous` returns
    whether the gateway settings name an anonymous subject (E11), or None if they are not known.
    """
    match read.element:
        case Policy():
            kind, found = ElementKind.POLICIES, [*lint_alone(read.element)]
        case Route(id=id, anonymous=True) if names_anonymous() is False:
            kind, found = ElementKind.ROUTES, [idle_mark(id)]
        case _:
            return ()
    findings = Findings(DEFAULTS.diagnostics)
    silenced = silences() if found else ()
    for finding in found:
        if not is_silenced(finding.code, read.element.id, silenced):
            findings.add(DocumentFinding(_CHECKED, finding))
    return _in_order(findings, {kind: (read,)})


def _gather(
    element_list: ElementList, shape: type[Element], checked: Sequence[ReadElement], declared: Sequence[Element]
) -> None:
    """Adds the checked elements to a list, and then the declared ones. It recovers elements with faults if it can."""
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
    """Returns the faults of the checked elements in the order of a document's text, each once."""
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
    # Help with the place of another element needs a document.
    help_text = "" if found.see else visible(finding.help)
    match finding.path:
        case (str(name), int(index), *_):
            at = show_path(inside_element(finding.path))
            return ElementFault((name, index), finding.code, message, at, help_text)
        case _:
            return ElementFault(None, finding.code, message, help=help_text)


def _place(finding: Finding, elements: _Read) -> tuple[int, ...]:
    """Returns a sort key that follows the text: a value before its parts, a member's name before its value.

    If the path leads to no value, the key is that of the nearest value around it.
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
