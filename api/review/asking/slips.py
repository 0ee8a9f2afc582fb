"""Finds slips of the pen in a question about who can do an action: what the model does not declare."""

from collections.abc import Mapping
from typing import Any, Final

from ....bundles.wording import Path
from ....runtime.rules.reasons import NO_ACTION, NO_TYPE
from ..testing.undeclared import ON_PURPOSE, ModelDeclarations, undeclared_in

_REASONS: Final[Mapping[Path, str]] = {("resource", "type"): NO_TYPE, ("action", "name"): NO_ACTION}
"""The reasons of decisions and searches, by the member of the question that is undeclared (E7, P1)."""


def slip_in(body: Mapping[str, Any], declared: ModelDeclarations) -> str | None:
    """Returns the first thing in a question that the model does not declare, with what may be meant, or None."""
    for finding in undeclared_in(body, declared):
        near = finding.help.removesuffix(ON_PURPOSE).rstrip(" ;")
        reason = _REASONS.get(finding.path, finding.message)
        return f"{reason}: {near}" if near else reason
    return None
