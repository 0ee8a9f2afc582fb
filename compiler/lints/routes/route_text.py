"""The lint `route-text`: a route takes a text where policies compare the attribute with another type (C11)."""

from collections.abc import Iterator
from typing import Final

from ....bundles.conditions.comparisons import constants_of
from ....bundles.declarations.kinds import kind_of
from ....bundles.wording import quoted
from ...checks.draft import Draft, is_placeholder
from ...diagnostics.diagnostic import Finding
from ...lowering.lower import EVERYTHING
from ...model.elements import Policy
from .prepared_route import PreparedRoutes

_TAKEN: Final = ("number", "boolean")
"""The types of constants that a text never equals, and that a route can take."""


def route_text(draft: Draft, prepared: PreparedRoutes) -> Iterator[Finding]:
    """Warns about each attribute of a route that is a text, while a policy on the type compares it with another type.

    It also warns about one that is declared as an array or an object, which no text says.
    """
    compared = _compared(draft)
    for index, one in prepared.routes.items():
        route = one.route
        for key, _, _, kind in route.attributes:
            path = ("routes", index, "attributes", key)
            if kind in ("array", "object"):
                message = f"{quoted(key)} is declared as {kind}, and no text of a request says one"
                help_text = "comparisons with it are false in an ALLOW and hold in a DENY"
                yield Finding("route-text", message, path, help_text, severity="warning")
            found = compared.get((route.resource_type, key)) or compared.get((EVERYTHING, key))
            if kind == "string" and found is not None:
                policy, other = found
                message = f"the route takes {quoted(key)} as a text, and the policy {quoted(policy)} compares a {other}"
                help_text = f"add `as {other}`, or declare the attribute on {quoted(route.resource_type)}"
                yield Finding("route-text", message, path, help_text, severity="warning")


def _compared(draft: Draft) -> dict[tuple[str, str], tuple[str, str]]:
    """Returns the first policy that compares each attribute of a resource type with a number or a truth value."""
    found: dict[tuple[str, str], tuple[str, str]] = {}
    for policy in draft.model.policies:
        for key, kind in _kinds(policy) if policy.enabled else ():
            for scope in policy.resource_types:
                found.setdefault((scope.resource_type_id, key), (policy.id, kind))
    return found


def _kinds(policy: Policy) -> Iterator[tuple[str, str]]:
    for condition in (policy.conditions and policy.conditions.resource_attrs) or ():
        if condition.value_of is not None or is_placeholder(condition.op) or is_placeholder(condition.key):
            continue
        value = condition.value
        for constant in constants_of(condition.op, value) if isinstance(value, list) else (value,):
            kind = kind_of(constant)
            if kind in _TAKEN:
                yield condition.key, kind
