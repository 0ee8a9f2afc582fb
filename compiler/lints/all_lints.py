"""The table of lints."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ..checks.draft import Draft, draft_of
from ..diagnostics.diagnostic import Finding
from ..documents.element_list import ElementList
from ..limits import DEFAULTS
from ..model.elements import LISTS, Policy
from .allow_everyone import allow_everyone
from .constants.absent_attribute import absent_attribute
from .constants.confusable import confusable
from .constants.extreme_bound import extreme_bound
from .constants.list_element import list_element
from .constants.looks_like_reference import looks_like_reference
from .constants.odd_constant import odd_constant
from .constants.plain_gate import plain_gate
from .constants.text_instant import text_instant
from .declarations.idle_required import idle_required
from .declarations.near_name import near_name
from .declarations.unused_extension import unused_extension
from .deny_priority import deny_priority
from .empty_list import empty_list
from .escapable_deny import escapable_deny
from .open_instant import open_instant
from .overlap import BudgetSpent
from .patterns.odd_pattern import odd_pattern
from .people.expired import expired
from .people.group_cycle import group_cycle
from .people.near_subject import near_subject
from .people.no_holder_left import no_holder_left
from .people.repeated_authority import repeated_authority
from .people.role_as_subject import role_as_subject
from .people.role_without_holder import role_without_holder
from .policies.absent_reference import absent_reference
from .policies.any_address import any_address
from .policies.dead_allow import dead_allow
from .policies.idle_deny import idle_deny
from .policies.never_holds import never_holds
from .policies.odd_window import odd_window
from .policies.redundant_policy import redundant_policy
from .policies.repeated_part import repeated_part
from .policies.unused_names import unused_action, unused_role
from .policies.wide_allow import wide_allow
from .prepared_policy import PreparedPolicy
from .routes.ambiguous_routes import ambiguous_routes
from .routes.idle_anonymous import idle_anonymous
from .routes.prepared_route import PreparedRoutes, prepare_routes
from .routes.route_text import route_text
from .routes.unreachable_route import unreachable_route
from .silencing import Silencing


def _always(_draft: Draft) -> bool:
    return True


class Lint(NamedTuple):
    """A lint. `code` is that of its warnings.

    `alone` says that it needs no other element than the policy that it warns about. `whole` says that it warns about
    something that is missing, so it says nothing about a model with errors. `applies` says whether a model has what the
    lint needs.
    """

    find: Callable[[Draft, Sequence[PreparedPolicy]], Iterator[Finding]]
    alone: bool = False
    whole: bool = False
    applies: Callable[[Draft], bool] = _always

    @property
    def code(self) -> str:
        """The code of its warnings."""
        return _code(self.find)


def _has_policies(draft: Draft) -> bool:
    return bool(draft.model.policies)


def _has_assignments(draft: Draft) -> bool:
    return bool(draft.model.assignments)


def _has_resources(draft: Draft) -> bool:
    return bool(draft.model.resources)


def _knows_settings(draft: Draft) -> bool:
    return draft.names_anonymous is not None


def _knows_now(draft: Draft) -> bool:
    return draft.now is not None


LINTS = (
    Lint(deny_priority),
    Lint(escapable_deny),
    Lint(empty_list, alone=True),
    Lint(allow_everyone, alone=True),
    Lint(wide_allow, alone=True),
    Lint(never_holds),
    Lint(redundant_policy),
    Lint(dead_allow),
    Lint(idle_deny, whole=True),
    Lint(unused_role, whole=True, applies=_has_policies),
    Lint(unused_action, whole=True, applies=_has_policies),
    Lint(unused_extension, whole=True),
    Lint(role_without_holder, whole=True, applies=_has_assignments),
    Lint(group_cycle),
    Lint(repeated_authority),
    Lint(expired, applies=_knows_now),
    Lint(absent_reference),
    Lint(idle_required),
    Lint(near_name),
    Lint(looks_like_reference, alone=True),
    Lint(list_element),
    Lint(text_instant),
    Lint(extreme_bound),
    Lint(confusable),
    Lint(odd_pattern),
    Lint(odd_window),
    Lint(any_address),
    Lint(repeated_part),
    Lint(role_as_subject),
    Lint(near_subject),
    Lint(no_holder_left, applies=_has_assignments),
    Lint(plain_gate),
    Lint(open_instant, alone=True),
    Lint(odd_constant),
    Lint(absent_attribute, whole=True, applies=_has_resources),
)
"""All lints of policies and people, in the order in which they run."""

_NO_DRAFT = draft_of({name: ElementList() for name in LISTS}, (), DEFAULTS)


class RouteLint(NamedTuple):
    """A lint of routes. `applies` says whether it knows what it needs."""

    find: Callable[[Draft, PreparedRoutes], Iterator[Finding]]
    applies: Callable[[Draft], bool] = _always


ROUTE_LINTS = (
    RouteLint(unreachable_route),
    RouteLint(ambiguous_routes),
    RouteLint(route_text),
    RouteLint(idle_anonymous, applies=_knows_settings),
)
"""All lints of routes, in the order in which they run."""


def lint(draft: Draft, policies: Sequence[PreparedPolicy], has_errors: bool) -> Iterator[Finding]:
    """Yields the warnings of all lints that the model does not silence.

    If a lint runs out of steps, it stops with the warning `lint-unfinished`. In a model that `has_errors`, no lint runs
    that warns about something missing, and silences are not reported as unused.
    """
    silencing, unjudged = Silencing(draft.model), set[str]()
    yield from silencing.heard(_all_warnings(draft, policies, has_errors, unjudged))
    if not has_errors:
        yield from silencing.unused(draft, unjudged)


def _all_warnings(
    draft: Draft, policies: Sequence[PreparedPolicy], has_errors: bool, unjudged: set[str]
) -> Iterator[Finding]:
    """Yields the warnings of all lints, and adds the codes of those that did not run to their end to `unjudged`."""
    for one in LINTS:
        if (one.whole and has_errors) or not one.applies(draft):
            unjudged.add(one.code)
            continue
        try:
            yield from one.find(draft, policies)
        except BudgetSpent:
            unjudged.add(one.code)
            yield _unfinished(draft, one.code, "policies", policies[0].index)
    routes = prepare_routes(draft)
    for find_routes, applies in ROUTE_LINTS:
        if not applies(draft):
            unjudged.add(_code(find_routes))
            continue
        try:
            yield from find_routes(draft, routes)
        except BudgetSpent:
            unjudged.add(_code(find_routes))
            yield _unfinished(draft, _code(find_routes), "routes", routes.first)


def lint_alone(policy: Policy, index: int = 0) -> Iterator[Finding]:
    """Yields the warnings about one policy that need no other element: those that `lint` gives in every model.

    A disabled policy has none. The paths of the warnings contain `index`.
    """
    if policy.enabled:
        prepared = (PreparedPolicy(index, policy, frozenset(), {}, {}),)
        for one in LINTS:
            if one.alone:
                yield from one.find(_NO_DRAFT, prepared)


def _code(find: Callable[..., Iterator[Finding]]) -> str:
    return find.__name__.replace("_", "-")


def _unfinished(draft: Draft, name: str, compared: str, first: int) -> Finding:
    message = f"the lint `{name}` stopped after {draft.limits.lint_steps} steps, before it compared all {compared}"
    return Finding("lint-unfinished", message, (compared, first), severity="warning")
