"""The lint `escapable-deny`: a DENY that does not hold where the caller leaves an attribute out (C2, C9, E5)."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from ...bundles.program.clauses import ATTRIBUTE_SECTIONS
from ...bundles.wording import joined, quoted
from ..checks.draft import Draft
from ..diagnostics.diagnostic import Finding, Path
from ..model.elements import Grant
from .grant_index import GrantIndex
from .overlap import Budget, can_overlap
from .overlap_candidates import OverlapCandidates
from .prepared_policy import ADDRESS, Attribute, Pair, PreparedPolicy

_MOST_NAMED = 8
"""Attributes that one warning names; of more, it tells the number."""

_NOUNS: dict[str, str] = {section: section.removesuffix("_attrs") for section in ATTRIBUTE_SECTIONS}


def escapable_deny(draft: Draft, policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Warn of a DENY that needs attributes which an ALLOW or a grant in its way does not need.

    An attribute of the request is absent where the caller does not send it, and every comparison with it is false;
    so is an allowlist without an address. Own keys are always there. Each attribute is told of once, with one that
    does not need it, and those with the same one together. Raises OutOfSteps.
    """
    denies = [prepared for prepared in policies if prepared.policy.effect == "DENY" and prepared.needed]
    budget = Budget(draft.limits.lint_steps)
    allows, grants = _Allows(policies, budget), GrantIndex(draft, denies)
    for deny in denies:
        left = deny.needed
        for attribute in deny.needed:
            allow = allows.without(attribute, deny) if attribute in left else None
            if allow is not None:
                yield _by_allow(deny, tuple(other for other in left if other not in allow.implied), allow)
                left = tuple(other for other in left if other in allow.implied)
        grant = grants.grant_for(deny, budget) if left and deny.is_satisfiable else None
        if grant is not None:
            yield _by_grant(deny, left, grant)


class _Allows:
    """The ALLOW policies of a model by what they need, those that need the least first.

    PERF: thousands need the same few attributes, and a DENY looks only at those that lack one of its own.
    """

    def __init__(self, policies: Iterable[PreparedPolicy], budget: Budget):
        by_implied: dict[frozenset[Attribute], list[PreparedPolicy]] = defaultdict(list)
        for prepared in policies:
            if prepared.policy.effect == "ALLOW":
                by_implied[prepared.implied].append(prepared)
        order = sorted(by_implied, key=lambda implied: (len(implied), sorted(implied)))
        self._candidates = [(implied, OverlapCandidates(by_implied[implied])) for implied in order]
        self._lacking: dict[tuple[frozenset[Pair], Attribute], list[OverlapCandidates]] = {}
        self._budget = budget

    def without(self, attribute: Attribute, deny: PreparedPolicy) -> PreparedPolicy | None:
        """The first one that `deny` overlaps and that does not need `attribute`. Raises OutOfSteps."""
        for candidates in self._lacking_on(attribute, deny):
            self._budget.spend(1)
            for allow in candidates.of(deny):
                self._budget.spend(1)
                if can_overlap(deny, allow, self._budget):
                    return allow
        return None

    def _lacking_on(self, attribute: Attribute, deny: PreparedPolicy) -> list[OverlapCandidates]:
        """Those that do not need `attribute`, on a type and action of `deny`."""
        key = deny.pairs, attribute
        if key not in self._lacking:
            self._budget.spend(len(self._candidates))
            self._lacking[key] = [
                candidates
                for implied, candidates in self._candidates
                if attribute not in implied and candidates.any_for(deny)
            ]
        return self._lacking[key]


def _by_allow(deny: PreparedPolicy, missing: Sequence[Attribute], allow: PreparedPolicy) -> Finding:
    rival = quoted(allow.policy.id)
    condition = "an `ip_allowlist`" if tuple(missing) == (ADDRESS,) else _condition_on(missing)
    help_text = f"give {rival} {condition} too, so that it needs {_it(missing)} as well"
    return _finding(deny, missing, f"the ALLOW {rival}", help_text)


def _by_grant(deny: PreparedPolicy, missing: Sequence[Attribute], grant: Grant) -> Finding:
    shown = quoted(grant.id) if grant.id else f"on {quoted(grant.resource.type)} {quoted(grant.resource.id)}"
    help_text = (
        f"a grant has no conditions: an ALLOW with {_condition_on(missing)} in its place would need {_it(missing)}"
    )
    return _finding(deny, missing, f"the direct grant {shown}", help_text)


def _finding(deny: PreparedPolicy, missing: Sequence[Attribute], witness: str, help_text: str) -> Finding:
    names = [_name(attribute) for attribute in missing[:_MOST_NAMED]]
    if len(missing) > _MOST_NAMED:
        names.append(f"{len(missing) - _MOST_NAMED} more")
    message = (
        f"the DENY {quoted(deny.policy.id)} does not hold where {joined(names, 'or')} is left out, "
        f"and {witness} {'does not need it' if len(missing) == 1 else 'needs none of them'}"
    )
    return Finding("escapable-deny", message, _path(deny, missing[0]), help_text, severity="warning")


def _condition_on(missing: Sequence[Attribute]) -> str:
    return f"a condition on {_name(missing[0])}" if len(missing) == 1 else "a condition on each"


def _it(missing: Sequence[Attribute]) -> str:
    return "it" if len(missing) == 1 else "them"


def _path(deny: PreparedPolicy, attribute: Attribute) -> Path:
    path = ("policies", deny.index, "conditions")
    if attribute == ADDRESS:
        return (*path, "ip_allowlist")
    section, key = attribute
    conditions = getattr(deny.policy.conditions, section)
    return (*path, section, next(i for i, condition in enumerate(conditions) if condition.key == key), "key")


def _name(attribute: Attribute) -> str:
    section, key = attribute
    return quoted("context.ip" if attribute == ADDRESS else f"{_NOUNS[section]}.{key}")
