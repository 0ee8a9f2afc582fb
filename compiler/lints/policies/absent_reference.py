"""The lint `absent-reference`: a DENY that holds for everyone who lacks the value that it refers to (X2)."""

from collections.abc import Iterator, Sequence
from typing import Final

from ....bundles.conditions.attribute_keys import reads_own_key
from ....bundles.conditions.operators import Operator
from ....bundles.conditions.references import GROUPS, ValueOf, read_value_of
from ....bundles.wording import Path, quoted
from ...checks.conditions_of import conditions_of
from ...checks.draft import Draft
from ...diagnostics.diagnostic import Finding
from ...model.always_sent import AlwaysSent, always_sent
from ..prepared_policy import PreparedPolicy

_NEGATIONS: Final = (Operator.NE, Operator.NIN, Operator.HAS_NONE)


def absent_reference(draft: Draft, policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Warns about each DENY that compares with a value which a request may lack: the comparison holds then.

    A negation is meant to hold then: "deny what is not of the subject's tenant" denies a subject without a tenant.
    A value that each request has to send is not missing. If another condition of the DENY reads the same value, that
    condition is false without it, and so the DENY does not hold. Each value is in one warning for each DENY.
    """
    sent = always_sent(draft.attributes, draft.model.requests)
    for prepared in policies:
        if prepared.policy.effect == "DENY":
            told: set[ValueOf] = set()
            for value_of, path in _open(prepared, sent):
                if value_of not in told:
                    told.add(value_of)
                    yield _finding(prepared, value_of, path)


def _open(prepared: PreparedPolicy, sent: AlwaysSent) -> Iterator[tuple[ValueOf, Path]]:
    for _, condition, path in conditions_of(prepared.policy, prepared.index):
        value_of = None if condition.value_of is None else read_value_of(condition.value_of)
        if value_of is None or value_of == GROUPS or reads_own_key(value_of.section, value_of.key):
            continue
        if condition.op in _NEGATIONS:
            continue
        if (value_of.section, value_of.key) not in prepared.tests and not sent.has(value_of.section, value_of.key):
            yield value_of, path


def _finding(prepared: PreparedPolicy, value_of: ValueOf, path: Path) -> Finding:
    name = quoted(str(value_of))
    message = (
        f"the DENY {quoted(prepared.policy.id)} holds for each request without {name}, which it then can't compare"
    )
    help_text = (
        f"to deny only those that have it, ask {name} `is present` too (`nin` with `[]`); to refuse the others, declare"
        " it `required` under `requests: strict`"
    )
    return Finding("absent-reference", message, (*path, "value_of"), help_text, severity="warning")
