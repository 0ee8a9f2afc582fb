"""The lint `allow-everyone`: an ALLOW with neither roles nor conditions. Its author often forgot the roles (P2).

Exceptions leave in everyone else, also subjects that the model does not know (P6).
"""

from collections.abc import Iterator, Sequence

from msgspec.structs import astuple

from ...bundles.wording import quoted
from ..checks.draft import Draft
from ..diagnostics.diagnostic import Finding
from ..model.elements import Conditions, Policy
from .prepared_policy import PreparedPolicy

_HELP = "give it `roles` or a condition; if you mean everyone, add a condition on the subject's `type`"


def allow_everyone(_draft: Draft, policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Warns about each ALLOW that applies to every subject and always holds. One condition is enough to avoid this."""
    for prepared in policies:
        policy = prepared.policy
        if applies_to_everyone(policy):
            message = f"the ALLOW {quoted(policy.id)} has neither roles nor conditions, so it applies to everyone"
            if policy.except_roles is not None:
                message += " but the holders of its `except_roles`, also to subjects that the model does not know"
            yield Finding("allow-everyone", message, ("policies", prepared.index, "effect"), _HELP, severity="warning")


def applies_to_everyone(policy: Policy) -> bool:
    """Returns whether the policy is an ALLOW without roles and conditions, enabled or not (P2, P6)."""
    if policy.effect == "DENY" or policy.roles is not None:
        return False
    return not any(astuple(policy.conditions or Conditions()))
