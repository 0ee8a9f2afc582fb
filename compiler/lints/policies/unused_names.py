"""The lints `unused-role` and `unused-action`: a role that no policy names, an action that nothing allows."""

from collections.abc import Iterator, Sequence

from ....bundles.wording import quoted
from ...checks.draft import Draft
from ...diagnostics.diagnostic import Finding
from ...lowering.lower import expand_actions
from ..prepared_policy import PreparedPolicy


def unused_role(draft: Draft, _policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Warns about each role that no policy names, enabled or not."""
    named = {role for policy in draft.model.policies for role in (*(policy.roles or ()), *(policy.except_roles or ()))}
    for index, role in enumerate(draft.model.roles):
        if role.id not in named:
            message = f"no policy names the role {quoted(role.id)}, so it gives nothing"
            yield Finding("unused-role", message, ("roles", index, "id"), severity="warning")


def unused_action(draft: Draft, policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Warns about each declared action that no enabled ALLOW and no grant covers: no subject may ever do it."""
    pair_sets = {prepared.pairs for prepared in policies if prepared.policy.effect == "ALLOW"}
    allowed = frozenset[tuple[str, str]]().union(*pair_sets)
    granted = {(grant.resource.type, grant.actions) for grant in draft.whole_grants}
    allowed |= {
        (type_id, action)
        for type_id, actions in granted
        if type_id in draft.types
        for action in expand_actions(actions, draft.types[type_id])
    }
    for index, declared in enumerate(draft.model.resource_types):
        for place, action in enumerate(declared.actions):
            if (declared.id, action) not in allowed:
                message = f"nothing allows {quoted(action)} on {quoted(declared.id)}: no ALLOW and no grant covers it"
                path = ("resource_types", index, "actions", place)
                yield Finding("unused-action", message, path, severity="warning")
