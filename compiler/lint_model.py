"""Warns about a checked model that has no documents, such as one that is stored."""

from collections.abc import Iterator
from typing import NamedTuple

from ..bundles.wording import show_path, visible
from .checks.draft import draft_of
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
    """A warning about a model. `path` starts at the element, like `$.effect`.

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


def lint_model(model: Model, now: float | None = None, limits: Limits = DEFAULTS) -> ModelWarnings:
    """Returns the warnings that `load` gives for the documents of a model without errors.

    `now` is the instant in epoch seconds. Without it, no lint says that something has expired. `limits.diagnostics` is
    the number of warnings that are listed.
    """
    lists: dict[str, ElementList] = {}
    for name in LISTS:
        lists[name] = ElementList()
        lists[name].start_run(_MODEL, 0)
        lists[name].elements = [*getattr(model, name)]
    draft = draft_of(lists, (), limits, now)
    findings = Findings(limits.diagnostics)
    for finding in lint(draft, prepare_policies(draft, ()), False):
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
