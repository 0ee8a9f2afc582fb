"""The table of lints."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ..checks.draft import Draft, draft_of
from ..diagnostics.diagnostic import Finding
from ..documents.element_list import ElementList
from ..limits import DEFAULTS
from ..model.elements import LISTS, Policy
from .allow_everyone import allow_everyone
from .ambiguous_routes import ambiguous_routes
from .deny_priority import deny_priority
from .empty_list import empty_list
from .escapable_deny import escapable_deny
from .overlap import OutOfSteps
from .prepared_policy import PreparedPolicy
from .prepared_route import PreparedRoutes, prepare_routes
from .silencing import Silencing
from .unreachable_route import unreachable_route


class Lint(NamedTuple):
    """A lint. `alone` says that it needs no other element than the policy that it warns about."""

    find: Callable[[Draft, Sequence[PreparedPolicy]], Iterator[Finding]]
    alone: bool = False


LINTS = (
    Lint(deny_priority),
    Lint(escapable_deny),
    Lint(empty_list, alone=True),
    Lint(allow_everyone, alone=True),
)

_NO_DRAFT = draft_of({name: ElementList() for name in LISTS}, (), DEFAULTS)
ROUTE_LINTS: tuple[Callable[[Draft, PreparedRoutes], Iterator[Finding]], ...] = (unreachable_route, ambiguous_routes)


def lint(draft: Draft, policies: Sequence[PreparedPolicy], has_errors: bool) -> Iterator[Finding]:
    """Yields the warnings of all lints that the model does not silence.

    If a lint runs out of steps, it stops with the warning `lint-unfinished`. In a model that `has_errors`, silences are
    not reported as unused.
    """
    silencing, unjudged = Silencing(draft.model), set[str]()
    yield from silencing.heard(_all_warnings(draft, policies, unjudged))
    if not has_errors:
        yield from silencing.unused(draft, unjudged)


def _all_warnings(draft: Draft, policies: Sequence[PreparedPolicy], unjudged: set[str]) -> Iterator[Finding]:
    """Yields the warnings of all lints, and adds the codes of those that did not finish to `unjudged`."""
    for find, _ in LINTS:
        try:
            yield from find(draft, policies)
        except OutOfSteps:
            unjudged.add(_code(find))
            yield _unfinished(draft, _code(find), "policies", policies[0].index)
    routes = prepare_routes(draft)
    for find_routes in ROUTE_LINTS:
        try:
            yield from find_routes(draft, routes)
        except OutOfSteps:
            unjudged.add(_code(find_routes))
            yield _unfinished(draft, _code(find_routes), "routes", routes.first)


def lint_alone(policy: Policy, index: int = 0) -> Iterator[Finding]:
    """Yields the warnings about one policy that need no other element: those that `lint` gives in every model.

    A disabled policy has none. The paths of the warnings contain `index`.
    """
    if policy.enabled:
        prepared = (PreparedPolicy(index, policy, frozenset(), {}, {}),)
        for find, alone in LINTS:
            if alone:
                yield from find(_NO_DRAFT, prepared)


def _code(find: Callable[..., Iterator[Finding]]) -> str:
    return find.__name__.replace("_", "-")


def _unfinished(draft: Draft, name: str, compared: str, first: int) -> Finding:
    message = f"the lint `{name}` stopped after {draft.limits.lint_steps} steps, before it compared all {compared}"
    return Finding("lint-unfinished", message, (compared, first), severity="warning")
