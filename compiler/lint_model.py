"""Warns about a model that has no documents, such as one that is stored, and finds the errors that it may have."""

from collections.abc import Collection, Iterator
from typing import NamedTuple

from ..bundles.wording import show_path, visible
from .checks.all_checks import CHECKS
from .checks.draft import Draft, draft_of
from .diagnostics.diagnostic import Finding
from .diagnostics.findings import DocumentFinding, Findings
from .documents.element_list import ElementList
from .limits import DEFAULTS, Limits
from .lints.all_lints import lint
from .lints.prepared_policy import prepare_policies
from .model.elements import LISTS, Element, ElementKind, Model
from .model.single_members import inside_element

_MODEL = 0
"""The document number of all findings. There are no documents."""


class ModelWarning(NamedTuple):
    """A warning about a model, or an error of a stored one. `path` starts at the element, like `$.effect`.

    `kind` is the list, and `element` the element in it, or None if the warning is about the list as a whole.
    """

    code: str
    message: str
    kind: ElementKind
    element: Element | None
    path: str
    help: str


class ModelWarnings(NamedTuple):
    """The warnings about a model, in the order of its lists, and how many more there are."""

    listed: tuple[ModelWarning, ...]
    unlisted: int


def lint_model(
    model: Model, now: float | None = None, limits: Limits = DEFAULTS, names_anonymous: bool | None = None
) -> ModelWarnings:
    """Returns the warnings that `load` gives for the documents of a model without errors.

    `now` is the instant in epoch seconds. Without it, no lint says that something has expired. `limits.diagnostics` is
    the number of warnings that are listed. `names_anonymous` says whether the gateway settings of the environment
    name an anonymous subject (E11), if they are known.
    """
    draft = _draft(model, (), limits, now, names_anonymous)
    return _listed(model, lint(draft, prepare_policies(draft, ()), False), limits)


def model_errors(model: Model, zones: Collection[str], limits: Limits = DEFAULTS) -> ModelWarnings:
    """Returns the errors that `load` finds in the documents of a stored model.

    A store refuses errors. But a newer Writ may find one in what an older one has stored: the server goes on with it.
    `zones` are the names of the known time zones.
    """
    draft = _draft(model, zones, limits, None)
    return _listed(model, (finding for check in CHECKS for finding in check(draft)), limits)


def _draft(
    model: Model, zones: Collection[str], limits: Limits, now: float | None, names_anonymous: bool | None = None
) -> Draft:
    lists: dict[str, ElementList] = {}
    for name in LISTS:
        lists[name] = ElementList()
        lists[name].start_run(_MODEL, 0)
        lists[name].elements = [*getattr(model, name)]
    return draft_of(lists, zones, limits, now, names_anonymous)


def _listed(model: Model, found: Iterator[Finding], limits: Limits) -> ModelWarnings:
    findings = Findings(limits.diagnostics)
    for finding in found:
        findings.add(DocumentFinding(_MODEL, finding))
    ordered = sorted((found.finding for found in findings.listed), key=_order)
    return ModelWarnings(tuple(_warnings(model, ordered)), findings.unlisted)


def _order(found: Finding) -> tuple[int, int, str, str, str]:
    name, *rest = found.path
    index = rest[0] if rest and isinstance(rest[0], int) else -1
    return list(LISTS).index(str(name)), index, show_path(tuple(rest)), found.code, found.message


def _warnings(model: Model, found: list[Finding]) -> Iterator[ModelWarning]:
    for one in found:
        # Help with the place of another element needs a document.
        help_text = "" if one.see else visible(one.help)
        name, *rest = one.path
        kind, element = ElementKind(str(name)), None
        if rest and isinstance(rest[0], int):
            element, rest = getattr(model, kind)[rest[0]], [*inside_element(one.path)]
        yield ModelWarning(one.code, visible(one.message), kind, element, show_path(tuple(rest)), help_text)
