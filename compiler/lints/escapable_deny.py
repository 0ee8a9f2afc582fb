"""The lint `escapable-deny`: a DENY that a caller can switch off by leaving an attribute out (C2, C9, E5)."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from ...bundles.program.clauses import ATTRIBUTE_SECTIONS
from ...bundles.wording import Path, is_made_id, joined, quoted
from ..checks.draft import Draft
from ..diagnostics.diagnostic import Finding
from ..model.always_sent import always_sent
from ..model.declared import required_keys
from ..model.elements import Grant
from .grant_index import GrantIndex
from .overlap import Budget, can_overlap
from .overlap_candidates import OverlapCandidates
from .prepared_policy import ADDRESS, Attribute, Pair, PreparedPolicy

_MOST_NAMED = 8
"""The number of attributes that one warning names. It counts the others."""

_NOUNS: dict[str, str] = {section: section.removesuffix("_attrs") for section in ATTRIBUTE_SECTIONS}


def escapable_deny(draft: Draft, policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Warns about each DENY that needs an attribute, if an ALLOW or a grant that it overlaps does not need it.

    If the caller leaves an attribute out, every comparison with it is false. If the caller sends no address, an
    allowlist is false. An entity's own id and type are never missing. Each attribute is in one warning, with one ALLOW
    or grant that does not need it. Attributes with the same ALLOW or grant share a warning. A DENY holds without a
    required attribute of the context (C12), and a strict request without a required attribute is refused (E8). Raises
    OutOfSteps.
    """
    required = _Required(draft)
    denies = [prepared for prepared in policies if prepared.policy.effect == "DENY" and _escapes(prepared, required)]
    budget = Budget(draft.limits.lint_steps)
    allows, grants = _Allows(policies, denies, budget), GrantIndex(draft, denies)
    for deny in denies:
        left = _escapes(deny, required)
        for attribute in left:
            allow = allows.without(attribute, deny) if attribute in left else None
            if allow is not None:
                yield _by_allow(deny, tuple(other for other in left if other not in allow.implied), allow)
                left = tuple(other for other in left if other in allow.implied)
        grant = grants.grant_for(deny, budget) if left and deny.is_satisfiable else None
        if grant is not None:
            yield _by_grant(deny, left, grant)


class _Required:
    """The attributes that no request can leave out to escape a DENY."""

    def __init__(self, draft: Draft):
        self._of_context = required_keys([] if draft.attributes is None else [draft.attributes])
        self._sent = always_sent(draft.attributes, draft.model.requests, draft.types.values())

    def has(self, deny: PreparedPolicy, section: str, key: str) -> bool:
        """Returns whether a request on a type of `deny` can't leave an attribute out to escape it."""
        if section == "context_attrs" and any(key.startswith(f"{one}.") for one in self._of_context):
            return True
        return self._sent.has(section, key, {type for type, _ in deny.pairs})


def _escapes(deny: PreparedPolicy, required: _Required) -> tuple[Attribute, ...]:
    """Returns the attributes without which a DENY does not hold."""
    return tuple((section, key) for section, key in deny.needed if not required.has(deny, section, key))


class _Allows:
    """The ALLOW policies of a model, grouped by the attributes that they need, the smallest sets first.

    PERF: thousands of policies need the same few attributes. A DENY looks only at groups that lack one that it needs.
    """

    def __init__(self, policies: Iterable[PreparedPolicy], denies: Sequence[PreparedPolicy], budget: Budget):
        by_implied: dict[frozenset[Attribute], list[PreparedPolicy]] = defaultdict(list)
        for prepared in policies:
            if prepared.policy.effect == "ALLOW":
                by_implied[prepared.implied].append(prepared)
        order = sorted(by_implied, key=lambda implied: (len(implied), sorted(implied)))
        self._candidates = [(implied, OverlapCandidates(by_implied[implied], denies)) for implied in order]
        self._lacking: dict[tuple[frozenset[Pair], Attribute], list[OverlapCandidates]] = {}
        self._budget = budget

    def without(self, attribute: Attribute, deny: PreparedPolicy) -> PreparedPolicy | None:
        """Returns the first ALLOW that overlaps `deny` and does not need `attribute`, or None. Raises OutOfSteps."""
        for candidates in self._lacking_on(attribute, deny):
            self._budget.spend(1)
            for allow in candidates.of(deny):
                self._budget.spend(1)
                if can_overlap(deny, allow, self._budget):
                    return allow
        return None

    def _lacking_on(self, attribute: Attribute, deny: PreparedPolicy) -> list[OverlapCandidates]:
        """Returns the groups on a type and action of `deny` that do not need `attribute`."""
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
    return _finding(deny, missing, f"the ALLOW {rival}", f"also give {rival} {condition}")


def _by_grant(deny: PreparedPolicy, missing: Sequence[Attribute], grant: Grant) -> Finding:
    is_named = grant.id and not is_made_id(grant.id)
    shown = quoted(grant.id) if is_named else f"on {quoted(grant.resource.type)} {quoted(grant.resource.id)}"
    help_text = f"a grant has no conditions; replace it by an ALLOW with {_condition_on(missing)}"
    return _finding(deny, missing, f"the direct grant {shown}", help_text)


def _finding(deny: PreparedPolicy, missing: Sequence[Attribute], witness: str, help_text: str) -> Finding:
    names = [_name(attribute) for attribute in missing[:_MOST_NAMED]]
    if len(missing) > _MOST_NAMED:
        names.append(f"{len(missing) - _MOST_NAMED} more")
    message = (
        f"the DENY {quoted(deny.policy.id)} does not hold if a request leaves out {joined(names, 'or')}, "
        f"and {witness} {'does not need it' if len(missing) == 1 else 'needs none of them'}"
    )
    return Finding("escapable-deny", message, _path(deny, missing[0]), help_text, severity="warning")


def _condition_on(missing: Sequence[Attribute]) -> str:
    return f"a condition on {_name(missing[0])}" if len(missing) == 1 else "a condition on each of these attributes"


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
