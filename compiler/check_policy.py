"""Checks the document of one policy against the elements that it refers to, without the rest of their model."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from .checks.all_checks import CHECKS
from .checks.draft import draft_of
from .diagnostics.diagnostic import Diagnostic, Finding
from .diagnostics.findings import DocumentFinding, Findings
from .documents.document import MergedDocuments, read_documents
from .limits import DEFAULTS, Limits
from .lints.all_lints import lint_alone
from .lints.silencing import is_silenced
from .model.elements import LISTS, Element, ElementKind, Policy, SilencedLint
from .source import Source

Declared: TypeAlias = Callable[[Policy, bool], Mapping[str, Sequence[Element]]]
"""Returns the elements that a policy refers to, as far as there are any, by list, and the silenced lints.

If the second argument is true, it adds the elements that a wrong reference may mean.
"""

_DECLARED: Final = 1
"""The document number of the declared elements, which have no document."""


class CheckedPolicy(NamedTuple):
    """The policy of a document, and the diagnostics.

    `policy` is None if the document can't be read, or does not have exactly one element, which is a policy.
    """

    policy: Policy | None
    diagnostics: tuple[Diagnostic, ...]

    @property
    def is_sound(self) -> bool:
        """True if there is a policy without errors."""
        return self.policy is not None and all(found.severity != "error" for found in self.diagnostics)


def check_policy(
    source: Source, declared: Declared, zones: Collection[str], limits: Limits = DEFAULTS
) -> CheckedPolicy:
    """Returns the policy in `source`, with the errors and warnings that `load` finds in every model like this.

    These are the errors of the policy in a model that also has the `declared` elements, and the warnings that need no
    other element. `zones` are the names of the known time zones. It does not raise for any source.
    """
    findings = Findings(limits.diagnostics)
    merged = read_documents([source], limits, findings, lambda *_: None)
    elements = [element for one in merged.lists.values() for element in one.elements]
    policy = elements[0] if len(elements) == 1 and isinstance(elements[0], Policy) else None
    if findings.errors or policy is None:
        return CheckedPolicy(None, findings.diagnostics(merged.documents))
    found = _errors(merged, policy, declared(policy, False), zones, limits)
    if found:
        # Check again with all names, so that the message can suggest a similar one.
        found = _errors(merged, policy, declared(policy, True), zones, limits)
    merged.report(found, findings)
    silences = [one for one in declared(policy, False).get(ElementKind.LINTS, ()) if isinstance(one, SilencedLint)]
    warnings = (one for one in lint_alone(policy) if not is_silenced(one.code, policy.id, silences))
    for one in [] if found else warnings:
        findings.add(DocumentFinding(0, one))
    return CheckedPolicy(policy, findings.diagnostics(merged.documents))


def _errors(
    merged: MergedDocuments,
    policy: Policy,
    declared: Mapping[str, Sequence[Element]],
    zones: Collection[str],
    limits: Limits,
) -> list[Finding]:
    """Returns the errors of the policy. Those of the declared elements are left out."""
    lists = merged.lists
    for name in LISTS:
        kind = ElementKind(name)
        if kind is ElementKind.POLICIES:
            lists[name].elements = [policy]
        elif kind is not ElementKind.LINTS:
            lists[name].start_run(_DECLARED, 0)
            lists[name].elements = [*declared.get(kind, ())]
    draft = draft_of(lists, zones, limits)
    return [found for check in CHECKS for found in check(draft) if found.path[:1] == (ElementKind.POLICIES,)]
