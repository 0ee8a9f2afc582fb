"""The lint `idle-anonymous`: a route is marked, and the gateway settings name no anonymous subject (E11)."""

from collections.abc import Iterator

from ....bundles.wording import quoted
from ...checks.draft import Draft
from ...diagnostics.diagnostic import Finding
from .prepared_route import PreparedRoutes


def idle_anonymous(draft: Draft, prepared: PreparedRoutes) -> Iterator[Finding]:
    """Warns about each marked route, if it is known that the settings of its environment name no anonymous subject."""
    if draft.names_anonymous is not False:
        return
    for index, one in prepared.routes.items():
        if one.route.anonymous:
            message = f"the mark of the route {quoted(one.route.id)} changes nothing: no anonymous subject is named"
            help_text = "name one as `anonymous` in the gateway settings of the environment, or leave the mark out"
            yield Finding("idle-anonymous", message, ("routes", index, "anonymous"), help_text, severity="warning")
