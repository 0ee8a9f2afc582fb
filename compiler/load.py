"""Loads a model: reads its documents, checks what they say, and tells everything that is wrong with them at once."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from ..bundles.file.writer import Progress
from .checks.draft import draft_of
from .checks.table import CHECKS
from .diagnostics.diagnostic import Diagnostic, Finding
from .diagnostics.findings import Findings, Found
from .documents.document import Merged, read_documents
from .limits import DEFAULTS, Limits
from .lints.reach import reaches_of
from .lints.table import lint
from .model.elements import ElementKind, Model
from .model.made_ids import with_ids
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
    faulty = set(merged.lists[ElementKind.POLICIES].salvaged)
    for done, check in enumerate(CHECKS):
        faulty |= _report(check(draft), merged, findings)
        progress("checking", done + 1, len(CHECKS) + 1)
    _report(lint(draft, reaches_of(draft, faulty)), merged, findings)
    progress("checking", len(CHECKS) + 1, len(CHECKS) + 1)
    model = None if findings.errors else with_ids(draft.model)
    return Loaded(model, findings.diagnostics(merged.documents))


def _report(found: Iterable[Finding], merged: Merged, findings: Findings) -> set[int]:
    """Add what was found, each in its own document; gives back the indexes of the policies concerned."""
    policies: set[int] = set()
    for finding in found:
        if merged.hides(finding.path):
            continue
        document, path = merged.origin(finding.path)
        see = merged.origin(finding.see) if finding.see else None
        findings.add(Found(document, replace(finding, path=path), see=see))
        match finding.path:
            case ("policies", int(index), *_):
                policies.add(index)
    return policies
