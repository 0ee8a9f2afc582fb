"""Loads a model: reads its documents, checks what they say, and tells everything that is wrong with them at once."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ..bundles.file.writer import Progress
from .checks.draft import draft_of
from .checks.table import CHECKS
from .diagnostics.diagnostic import Diagnostic
from .diagnostics.findings import Findings
from .documents.document import read_documents
from .limits import DEFAULTS, Limits
from .lints.prepared_policy import prepare_policies
from .lints.table import lint
from .model.elements import ElementKind, Model
from .model.generated_ids import with_ids
from .source import Source


@dataclass(frozen=True, slots=True)
class Loaded:
    """What came of some documents: the model, None where there is any error, and errors and warnings in order."""

    model: Model | None
    diagnostics: tuple[Diagnostic, ...]


def load(
    sources: Sequence[Source],
    zones: Collection[str],
    progress: Progress = lambda *_: None,
    limits: Limits = DEFAULTS,
) -> Loaded:
    """Load the model that `sources` say together, their lists one after the other in the order of the sources.

    `zones` are the names of the time zones that exist. Nothing is raised for what a source says: everything that
    can be found in one run is a diagnostic, sorted by file, line, column, code and message.
    """
    findings = Findings(limits.diagnostics)
    merged = read_documents(sources, limits, findings, progress)
    draft = draft_of(merged.lists, zones, limits)
    faulty = set(merged.lists[ElementKind.POLICIES].recovered)
    for done, check in enumerate(CHECKS):
        faulty |= merged.report(check(draft), findings)
        progress("checking", done + 1, len(CHECKS) + 1)
    merged.report(lint(draft, prepare_policies(draft, faulty)), findings)
    progress("checking", len(CHECKS) + 1, len(CHECKS) + 1)
    model = None if findings.errors else with_ids(draft.model)
    return Loaded(model, findings.diagnostics(merged.documents))
