"""The table of lints: everything that a model is warned of."""

from collections.abc import Callable, Iterator, Sequence

from compiler.checks.draft import Draft
from compiler.diagnostics import Finding
from compiler.lints.allow_everyone import allow_everyone
from compiler.lints.deny_priority import deny_priority
from compiler.lints.empty_list import empty_list
from compiler.lints.escapable_deny import escapable_deny
from compiler.lints.overlap import OutOfSteps
from compiler.lints.rate_limit_uncounted import rate_limit_uncounted
from compiler.lints.reach import Reach

LINTS: tuple[Callable[[Draft, Sequence[Reach]], Iterator[Finding]], ...] = (
    deny_priority,
    escapable_deny,
    empty_list,
    allow_everyone,
    rate_limit_uncounted,
)


def lint(draft: Draft, reaches: Sequence[Reach]) -> Iterator[Finding]:
    """The warnings of all lints; one that runs out of steps says so and is the only one cut short."""
    for find in LINTS:
        try:
            yield from find(draft, reaches)
        except OutOfSteps:
            name = find.__name__.replace("_", "-")
            message = f"the lint `{name}` did not compare everything: it stops after {draft.limits.lint_steps} steps"
            yield Finding("lint-unfinished", message, ("policies", reaches[0].index), severity="warning")
