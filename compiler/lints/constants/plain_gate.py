"""The lint `plain-gate`: a plain comparison with the time or the address of the request, where a gate is meant."""

from collections.abc import Iterator, Sequence
from typing import Final

from ....bundles.conditions.references import read_value_of
from ....bundles.wording import quoted
from ...checks.conditions_of import conditions_of
from ...checks.draft import Draft
from ...diagnostics.diagnostic import Finding
from ...model.declared import type_of
from ...model.elements import Condition
from ...model.presence import is_presence
from ..prepared_policy import PreparedPolicy

_GATES: Final = {
    "time": "write a `time_window` for hours, days and dates (`from 08:00 until 16:00`), or compare with `now`",
    "ip": "write an `ip_allowlist` (`from 10.0.0.0/8`)",
    "ip_address": "write an `ip_allowlist` (`from 10.0.0.0/8`)",
}
_TEXTS: Final = ("string", "instant")


def plain_gate(draft: Draft, policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Warns about each comparison that reads `context.time`, `context.ip` or `context.ip_address` as a text.

    Such a text is compared letter by letter: a whole instant, never an hour, and an address, never a block. It is
    absent if the gate would read the clock. To ask whether it is present is no such comparison, and one that is
    declared as anything but a text is the application's own.
    """
    for prepared in policies:
        for section, condition, path in conditions_of(prepared.policy, prepared.index):
            key, member = _read(section, condition)
            if key in _GATES and _is_text(draft, key):
                message = f"{quoted(f'context.{key}')} is compared as a text here, letter by letter"
                yield Finding("plain-gate", message, (*path, member), _GATES[key], severity="warning")


def _read(section: str, condition: Condition) -> tuple[str, str]:
    """Returns the key of the context that a condition reads, and the member that says so, or two empty texts."""
    if section == "context_attrs":
        return ("", "") if is_presence(condition) else (condition.key, "key")
    value_of = None if condition.value_of is None else read_value_of(condition.value_of)
    return (value_of.key, "value_of") if value_of is not None and value_of.source == "context" else ("", "")


def _is_text(draft: Draft, key: str) -> bool:
    declared = draft.attributes.context if draft.attributes is not None else None
    return declared is None or key not in declared or type_of(declared[key]) in _TEXTS
