"""The table of lints."""

from collections.abc import Callable, Iterator, Sequence

from ..checks.draft import Draft
from ..diagnostics.diagnostic import Finding
from .allow_everyone import allow_everyone
from .ambiguous_routes import ambiguous_routes
from .deny_priority import deny_priority
from .empty_list import empty_list
from .escapable_deny import escapable_deny
from .overlap import OutOfSteps
from .prepared_policy import PreparedPolicy
from .prepared_route import PreparedRoutes, prepare_routes
from .rate_limit_uncounted import rate_limit_uncounted
from .unreachable_route import unreachable_route

LINTS: tuple[Callable[[Draft, Sequence[PreparedPolicy]], Iterator[Finding]], ...] = (
    deny_priority,
    escapable_deny,
    empty_list,
    allow_everyone,
    rate_limit_uncounted,
)

ROUTE_LINTS: tuple[Callable[[Draft, PreparedRoutes], Iterator[Finding]], ...] = (unreachable_route, ambiguous_routes)


def lint(draft: Draft, policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Yields the warnings of all lints. If a lint runs out of steps, it stops with the warning `lint-unfinished`."""
    for find in LINTS:
        try:
            yield from find(draft, policies)
        except OutOfSteps:
            yield _unfinished(draft, find.__name__, "policies", policies[0].index)
    routes = prepare_routes(draft)
    for find_routes in ROUTE_LINTS:
        try:
            yield from find_routes(draft, routes)
        except OutOfSteps:
            yield _unfinished(draft, find_routes.__name__, "routes", routes.first)


def _unfinished(draft: Draft, function: str, compared: str, first: int) -> Finding:
    name = function.replace("_", "-")
    message = f"the lint `{name}` stopped after {draft.limits.lint_steps} steps, before it compared all {compared}"
    return Finding("lint-unfinished", message, (compared, first), severity="warning")
