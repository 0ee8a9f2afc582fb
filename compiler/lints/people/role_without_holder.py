"""The lint `role-without-holder`: a role that no subject holds."""

from collections.abc import Iterator, Sequence

from ....bundles.wording import quoted
from ...checks.draft import Draft
from ...diagnostics.diagnostic import Finding
from ..prepared_policy import PreparedPolicy
from .role_holders import Groups


def role_without_holder(draft: Draft, _policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Warns about each role that is assigned to no subject, and to no group that contains one, at any time (P2, P3)."""
    model = draft.model
    inhabited = Groups(model).with_subjects()
    held = {
        assignment.role
        for assignment in model.assignments
        if assignment.subject is not None or assignment.group in inhabited
    }
    for index, role in enumerate(model.roles):
        if role.id not in held:
            message = f"no subject holds the role {quoted(role.id)}"
            yield Finding("role-without-holder", message, ("roles", index, "id"), severity="warning")
