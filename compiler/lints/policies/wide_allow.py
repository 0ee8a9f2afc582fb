"""The lint `wide-allow`: an ALLOW of all actions on all types, without roles or without conditions."""

from collections.abc import Iterator, Sequence

from msgspec.structs import astuple

from ....bundles.wording import quoted
from ...checks.draft import Draft
from ...diagnostics.diagnostic import Finding
from ...lowering.lower import EVERYTHING
from ...model.elements import Conditions
from ..allow_everyone import applies_to_everyone
from ..prepared_policy import PreparedPolicy


def wide_allow(_draft: Draft, policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Warns about each ALLOW with `*` as type and action that lacks roles or conditions (P1, P2).

    It covers each type and action that the model will ever declare. If it lacks both, it has the warning
    `allow-everyone`.
    """
    for prepared in policies:
        policy = prepared.policy
        if policy.effect == "DENY" or applies_to_everyone(policy):
            continue
        lacks = "roles" if policy.roles is None else "conditions"
        if lacks == "conditions" and any(astuple(policy.conditions or Conditions())):
            continue
        for place, scope in enumerate(policy.resource_types):
            if scope.resource_type_id == EVERYTHING and EVERYTHING in scope.actions:
                message = f"the ALLOW {quoted(policy.id)} covers every action on every type, and has no {lacks}"
                path = ("policies", prepared.index, "resource_types", place)
                help_text = "name the types and actions, or the roles and conditions"
                yield Finding("wide-allow", message, path, help_text, severity="warning")
                break
