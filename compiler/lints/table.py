"""The table of lints."""

from collections.abc import Callable, Iterator, Sequence

from ..checks.draft import Draft
from ..diagnostics.diagnostic import Finding
from .allow_everyone import allow_everyone
from .deny_priority import deny_priority
from .empty_list import empty_list
from .escapable_deny import escapable_deny
from .overlap import OutOfSteps
from .prepared_policy import PreparedPolicy

LINTS: tuple[Callable[[Draft, Sequence[PreparedPolicy]], Iterator[Finding]], ...] = (
    deny_priority,
    escapable_deny,
    empty_list,
    allow_everyone,
)


def lint(draft: Draft, policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Yields the warnings of all lints. If a lint runs out of steps, it stops with the warning `lint-unfinished`."""
    for find in LINTS:
        try:
            yield from find(draft, policies)
        except OutOfSteps:
            name = find.__name__.replace("_", "-")
            message = (
                f"the lint `{name}` stopped after {draft.limits.lint_steps} steps, before it compared all policies"
            )
            yield Finding("lint-unfinished", message, ("policies", policies[0].index), severity="warning")
