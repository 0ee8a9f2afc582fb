"""The lint `idle-anonymous`: a route is marked, and the gateway settings name no anonymous subject (E11)."""

from collections.abc import Iterator

from ....bundles.wording import quoted
from ...checks.draft import Draft
from ...diagnostics.diagnostic import Finding
from .prepared_route import PreparedRoutes


def idle_anonymous(draft: Draft, prepared: PreparedRoutes) -> Iterator[Finding]:
    """Warns about each marked route, if it is known that the settings of its environment name no anonymous subject."""
    if draft.names_anonymous is False:
        for index, one in prepared.routes.items():
            if one.route.anonymous:
                yield idle_mark(one.route.id, index)


def idle_mark(id: str, index: int = 0) -> Finding:
    """Returns the warning about the mark of a route. Its path contains `index`."""
    message = f"the mark of the route {quoted(id)} changes nothing: no anonymous subject is named"
    help_text = "name one as `anonymous` in the gateway settings of the environment, or leave the mark out"
    return Finding("idle-anonymous", message, ("routes", index, "anonymous"), help_text, severity="warning")
