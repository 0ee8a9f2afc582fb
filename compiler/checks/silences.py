"""Checks that the codes of silenced lints are those of warnings, and that nothing is silenced twice."""

from collections.abc import Iterator

from ...bundles.wording import quoted
from ..diagnostics.codes import CODES
from ..diagnostics.diagnostic import Finding
from ..model.elements import ElementKind, SilencedLint
from .draft import Draft, is_placeholder

UNSILENCED = ("unused-silence", "unknown-silenced", "too-many")
"""The codes of warnings about silences themselves and about the run. Nothing silences them."""

SILENCEABLE = frozenset(code.name for code in CODES if code.severity == "warning") - {*UNSILENCED}
"""The codes that a model may silence."""

_SEVERITIES = {code.name: code.severity for code in CODES}


def check_silences(draft: Draft) -> Iterator[Finding]:
    """Finds silences of codes that do not exist or that are no warnings, and second silences of the same."""
    first: dict[str, int] = {}
    for index, silence in enumerate(draft.model.lints):
        path = (ElementKind.LINTS, index)
        if silence.on == ():
            yield Finding("empty", "the list is empty, so nothing is silenced", (*path, "on"), "leave it out for all")
        if is_placeholder(silence.code) or any(map(is_placeholder, silence.on or ())):
            continue
        if silence.code not in SILENCEABLE:
            near = "" if silence.code in _SEVERITIES else draft.suggest(silence.code, SILENCEABLE)
            yield Finding("unknown-lint", _reason(silence), (*path, "code"), near)
        elif first.setdefault(silence.id, index) != index:
            message = f"{quoted(silence.code)} is silenced a second time on the same elements"
            yield Finding("duplicate-id", message, path, see=(ElementKind.LINTS, first[silence.id]))


def _reason(silence: SilencedLint) -> str:
    severity = _SEVERITIES.get(silence.code)
    if severity is None:
        return f"no warning has the code {quoted(silence.code)}"
    if severity == "error":
        return f"{quoted(silence.code)} is an error, and only warnings can be silenced"
    return f"{quoted(silence.code)} can't be silenced"
