"""Loads a model: reads its documents, checks it, and reports all errors and warnings in one run."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from ..bundles.progress import Progress
from .checks.all_checks import CHECKS
from .checks.draft import draft_of
from .diagnostics.diagnostic import Diagnostic
from .diagnostics.findings import Findings
from .documents.document import read_documents
from .limits import DEFAULTS, Limits
from .lints.all_lints import lint
from .lints.prepared_policy import prepare_policies
from .model.elements import SINGLE_MEMBERS, ElementKind, Model
from .model.generated_ids import with_ids
from .model.single_members import joined
from .source import Source


@dataclass(frozen=True, slots=True)
class Loaded:
    """The result of `load`. `model` is None if there is an error; `diagnostics` are errors and warnings, in order."""

    model: Model | None
    diagnostics: tuple[Diagnostic, ...]


def load(
    sources: Sequence[Source],
    zones: Collection[str],
    progress: Progress = lambda *_: None,
    limits: Limits = DEFAULTS,
    now: float | None = None,
) -> Loaded:
    """Returns the model in `sources` together. Their lists are joined in the order of the sources.

    `zones` are the names of the known time zones. `now` is the instant in epoch seconds; without it, no lint says that
    something has expired. `load` calls `progress` with a stage, the amount done, and the
    total. Whatever a source contains, `load` does not raise: each fault is a diagnostic. Diagnostics are sorted by
    file, line, column, code and message.
    """
    findings = Findings(limits.diagnostics)
    merged = read_documents(sources, limits, findings, progress)
    draft = draft_of(merged.lists, zones, limits, now)
    faulty = set(merged.lists[ElementKind.POLICIES].recovered)
    for done, check in enumerate(CHECKS):
        faulty |= merged.report(check(draft), findings)
        progress("checking", done + 1, len(CHECKS) + 1)
    merged.report(lint(draft, prepare_policies(draft, faulty), findings.errors > 0), findings)
    progress("checking", len(CHECKS) + 1, len(CHECKS) + 1)
    model = None
    if not findings.errors:
        single: dict[str, Any] = {name: joined(name, getattr(draft.model, name)) for name in SINGLE_MEMBERS}
        model = replace(with_ids(draft.model), **single)
    return Loaded(model, findings.diagnostics(merged.documents))
