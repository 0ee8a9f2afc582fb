"""Finds changes whose effect is not told as regions: rate limits, routes, strict requests, registered attributes."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from operator import attrgetter

from ...bundles.conditions.constants import canonical_key
from ...bundles.conditions.values import Json
from ...bundles.program.clauses import Clause, Rate, Reference
from . import limits as reasons
from .changed_pairs import fingerprint
from .models.sides import Pair, Side, rate_of
from .regions import Unknown


def not_compared(before: Side, after: Side) -> Iterator[Unknown]:
    """Yields the pairs of which a part is not known, and why."""
    for reason, pairs in (
        (reasons.RATE_LIMIT, _rates_changed(before, after)),
        (reasons.ROUTES, _routes_changed(before, after)),
        (reasons.STRICT, _strictness_changed(before, after)),
        (reasons.KINDS, _kinds_changed(before, after)),
        (reasons.REGISTERED_ATTRIBUTES, _attributes_changed(before, after)),
    ):
        yield from (Unknown(pair, reason) for pair in sorted(pairs))


def _pairs(side: Side, clause: Clause) -> list[Pair]:
    names = side.type_names
    return [(names[type], action) for type in clause.types for action in clause.actions]


def _rates_changed(before: Side, after: Side) -> set[Pair]:
    """Returns the pairs on which the limit of a rule differs: of one policy, or of rules that are equal otherwise."""
    names = (attrgetter("policy"), _without_rate)
    return set[Pair]().union(*(_limits_differ(before, after, named) for named in names))


def _limits_differ(before: Side, after: Side, named: Callable[[Clause], str]) -> set[Pair]:
    clauses = [clause for side in (before, after) for clause in side.program.clauses]
    limited = {named(clause) for clause in clauses if rate_of(clause) is not None}
    found = []
    for side in (before, after):
        limits: dict[tuple[str, Pair], set[str]] = defaultdict(set)
        for clause in side.program.clauses if limited else ():
            name = named(clause)
            if name in limited:
                for pair in _pairs(side, clause):
                    limits[name, pair].add(str(rate_of(clause)))
        found.append(limits)
    old, new = found
    return {key[1] for key in old.keys() & new.keys() if old[key] != new[key]}


def _without_rate(clause: Clause) -> str:
    return fingerprint(replace(clause, body=tuple(atom for atom in clause.body if not isinstance(atom, Rate))))


def _kinds_changed(before: Side, after: Side) -> set[Pair]:
    """Returns the pairs on which requests may differ that send a value against its declaration (C13)."""
    if not (before.demands or after.demands):
        return set()
    old, new = ({(pair, one) for pair, one in _demanding(side)} for side in (before, after))
    changed = (before.declarations.action, before.declarations.context) != (
        after.declarations.action,
        after.declarations.context,
    )
    return {pair for pair, _ in (old | new if changed else old ^ new)}


def _demanding(side: Side) -> Iterator[tuple[Pair, str]]:
    """Yields each pair with the DENYs on it that hold for such a value: a demanded comparison is then no condition."""
    for clause in side.program.clauses:
        if clause.effect != "DENY":
            continue
        demands = [tuple((one.section, one.key) for one in side.demands.by(atom)) for atom in clause.body]
        if any(demands):
            free = tuple(atom for atom, some in zip(clause.body, demands, strict=True) if not some)
            for pair in _pairs(side, clause):
                yield pair, f"{fingerprint(replace(clause, body=free))} {sorted(set(demands))}"


def _routes_changed(before: Side, after: Side) -> set[Pair]:
    """Returns what the routes are about that were added, changed, removed or moved."""
    old, new = (
        [one._replace(resource_type=side.type_names.get(one.resource_type, one.resource_type)) for one in side.routes]
        for side in (before, after)
    )
    if old == new:
        return set()
    kept = [one for one in old if one in new]
    moved = kept != [one for one in new if one in old]
    differing = {*old, *new} if moved else {*old} ^ {*new}
    return {(one.resource_type, one.action) for one in differing}


def _strictness_changed(before: Side, after: Side) -> set[Pair]:
    """Returns the pairs on which other requests are refused than before (E8)."""
    if not (before.strict or after.strict):
        return set()
    old, new = before.declarations, after.declarations
    everywhere = before.strict != after.strict or (old.subjects, old.action, old.context) != (
        new.subjects,
        new.action,
        new.context,
    )
    found: set[Pair] = set()
    for side in (before, after):
        for name, type in side.types.items():
            kinds = [
                one.declarations.resources.get(one.types[name].id) if name in one.types else None
                for one in (before, after)
            ]
            if everywhere or kinds[0] != kinds[1]:
                found.update((name, action) for action in type.actions)
    return found


def _attributes_changed(before: Side, after: Side) -> set[Pair]:
    """Returns the pairs whose rules read a registered attribute that differs. Searches read these, evaluations only if
    a request asks so (E5, E9).
    """
    if not (before.knows_resources and after.knows_resources):
        return set()
    subject_keys: set[str] = set()
    for key in before.facts.subjects.keys() & after.facts.subjects.keys():
        subject_keys |= _differing(before.subject_attributes.get(key, {}), after.subject_attributes.get(key, {}))
    resource_keys: dict[str, set[str]] = defaultdict(set)
    for name in before.types.keys() & after.types.keys():
        old, new = (side.types[name].id for side in (before, after))
        was, now = before.resource_attributes.get(old, {}), after.resource_attributes.get(new, {})
        for id in before.registered.get(old, set()) & after.registered.get(new, set()):
            resource_keys[name] |= _differing(was.get(id, {}), now.get(id, {}))
    return {
        pair
        for side in (before, after)
        for clause in side.program.clauses
        for pair in _pairs(side, clause)
        if _reads(clause, subject_keys, resource_keys.get(pair[0], set()))
    }


def _differing(old: Mapping[str, Json], new: Mapping[str, Json]) -> set[str]:
    if old == new and repr(old) == repr(new):
        return set()
    return {key for key in {*old, *new} if canonical_key(old.get(key)) != canonical_key(new.get(key))}


def _reads(clause: Clause, subject_keys: set[str], resource_keys: set[str]) -> bool:
    for atom in clause.body:
        section, key = getattr(atom, "section", ""), getattr(atom, "key", "")
        read = [(section, key)]
        if isinstance(atom, Reference):
            read.append((atom.value_of.section, atom.value_of.key))
        for where, name in read:
            keys = subject_keys if where == "subject_attrs" else resource_keys if where == "resource_attrs" else set()
            if keys and any(name == one or name.startswith(f"{one}.") for one in keys):
                return True
    return False
