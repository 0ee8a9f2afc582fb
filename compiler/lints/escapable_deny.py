"""The lint `escapable-deny`: a DENY that does not hold where the caller leaves an attribute out (C2, C9, E5)."""

from collections.abc import Iterator, Sequence

from bundles.program import SECTIONS
from compiler.checks.draft import Draft
from compiler.diagnostics import Finding, Path
from compiler.lints.granted import Granted
from compiler.lints.overlap import Budget, can_overlap
from compiler.lints.reach import ADDRESS, Attribute, Reach
from compiler.lints.rivals import Rivals
from compiler.model import Grant
from compiler.wording import quoted

_NOUNS: dict[str, str] = {section: section.removesuffix("_attrs") for section in SECTIONS}


def escapable_deny(draft: Draft, reaches: Sequence[Reach]) -> Iterator[Finding]:
    """Warn, once for each, of a DENY that needs an attribute which an ALLOW or a grant in its way does not need.

    An attribute of the request is absent where the caller does not send it, and every comparison with it is false;
    so is an allowlist without an address. Own keys are always there. Raises OutOfSteps.
    """
    denies = [reach for reach in reaches if reach.policy.effect == "DENY" and reach.needed]
    rivals, granted = Rivals(reaches), Granted(draft, denies)
    budget = Budget(draft.limits.lint_steps)
    for deny in denies:
        escape = _allow(deny, rivals, budget)
        if escape is not None:
            yield _by_allow(deny, *escape)
            continue
        grant = granted.met_by(deny, budget) if deny.is_possible else None
        if grant is not None:
            yield _by_grant(deny, grant)


def _allow(deny: Reach, rivals: Rivals, budget: Budget) -> tuple[Attribute, Reach] | None:
    """What `deny` needs and an ALLOW that it overlaps does not, and that ALLOW."""
    for allow in rivals.of(deny):
        budget.spend(1)
        missing = next((attribute for attribute in deny.needed if attribute not in allow.implied), None)
        if missing and can_overlap(deny, allow, budget):
            return missing, allow
    return None


def _by_allow(deny: Reach, missing: Attribute, allow: Reach) -> Finding:
    name, rival = _name(missing), quoted(allow.policy.id)
    message = (
        f"the DENY {quoted(deny.policy.id)} does not hold where {name} is left out, "
        f"and the ALLOW {rival} does not need it"
    )
    section = "an `ip_allowlist`" if missing == ADDRESS else f"a condition on {name}"
    return _finding(deny, missing, message, f"give {rival} {section} too, so that it needs it as well")


def _by_grant(deny: Reach, grant: Grant) -> Finding:
    missing = deny.needed[0]
    name = _name(missing)
    shown = quoted(grant.id) if grant.id else f"on {quoted(grant.resource.type)} {quoted(grant.resource.id)}"
    message = (
        f"the DENY {quoted(deny.policy.id)} does not hold where {name} is left out, "
        f"and the direct grant {shown} does not need it"
    )
    help_text = f"a grant has no conditions: an ALLOW with a condition on {name} in its place would need it"
    return _finding(deny, missing, message, help_text)


def _finding(deny: Reach, missing: Attribute, message: str, help_text: str) -> Finding:
    return Finding("escapable-deny", message, _path(deny, missing), help_text, severity="warning")


def _path(deny: Reach, attribute: Attribute) -> Path:
    path = ("policies", deny.index, "conditions")
    if attribute == ADDRESS:
        return (*path, "ip_allowlist")
    section, key = attribute
    conditions = getattr(deny.policy.conditions, section)
    return (*path, section, next(i for i, condition in enumerate(conditions) if condition.key == key), "key")


def _name(attribute: Attribute) -> str:
    section, key = attribute
    return quoted("context.ip" if attribute == ADDRESS else f"{_NOUNS[section]}.{key}")
