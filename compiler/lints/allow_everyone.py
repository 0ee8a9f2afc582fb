"""The lint `allow-everyone`: an ALLOW with neither roles nor conditions, often one whose roles were forgotten (P2)."""

from collections.abc import Iterator, Sequence

from msgspec.structs import astuple

from ...bundles.wording import quoted
from ..checks.draft import Draft
from ..diagnostics.diagnostic import Finding
from ..model.elements import Conditions
from .prepared_policy import PreparedPolicy

_HELP = "give it `roles` or a condition; where everyone is meant, a condition on the subject's `type` says so"


def allow_everyone(_draft: Draft, policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Warn of an ALLOW that applies to every subject and always holds. Any condition at all is taken to be meant."""
    for prepared in policies:
        policy = prepared.policy
        if policy.effect == "ALLOW" and policy.roles is None and not any(astuple(policy.conditions or Conditions())):
            message = f"the ALLOW {quoted(policy.id)} has neither roles nor conditions: it allows everyone all it names"
            yield Finding("allow-everyone", message, ("policies", prepared.index, "effect"), _HELP, severity="warning")
