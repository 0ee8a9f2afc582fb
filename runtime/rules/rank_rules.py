"""Puts the rules of each effect into the order in which they are reported, and indexes them (D8)."""

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from .attribute_index import AttributeIndex
from .conditions import NEVER
from .rule import Rule


@dataclass(frozen=True, slots=True, eq=False)
class RankedRules:
    """Rules of both effects, in order.

    The indexes leave out rules that never hold, and all rules after one that always holds. ALLOWs with a rate limit
    have their own index, since all of them count, whatever else holds (C10). `timed` is true if some rule reads
    the clock.
    """

    denies: tuple[Rule, ...]
    allows: tuple[Rule, ...]
    deny_index: AttributeIndex
    allow_index: AttributeIndex
    limited_index: AttributeIndex
    timed: bool

    def __len__(self) -> int:
        return len(self.denies) + len(self.allows)

    def __iter__(self) -> Iterator[Rule]:
        yield from self.denies
        yield from self.allows

    @property
    def indexed(self) -> bool:
        """True if the rules of some effect are indexed, so that testing one after the other is slower."""
        return self.deny_index.indexed or self.allow_index.indexed or self.limited_index.indexed


def rank_rules(rules: Sequence[Rule]) -> RankedRules:
    """Returns the rules in order, and their indexes."""
    ordered = sorted(rules, key=lambda rule: rule.rank)
    denies = tuple(rule for rule in ordered if rule.clause.effect == "DENY")
    allows = tuple(rule for rule in ordered if rule.clause.effect == "ALLOW")
    limited = [rule for rule in allows if rule.body.rate is not None and rule.body.without_rate != NEVER]
    return RankedRules(
        denies=denies,
        allows=allows,
        deny_index=AttributeIndex(worth_testing(denies)),
        allow_index=AttributeIndex(worth_testing(allows)),
        limited_index=AttributeIndex(limited),
        timed=any(rule.body.timed for rule in rules),
    )


def merged(orders: Iterable[Sequence[Rule]]) -> tuple[Rule, ...]:
    """Returns the rules of several orders in one order."""
    return tuple(heapq.merge(*orders, key=lambda rule: rule.rank))


def worth_testing(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """Returns the rules that can hold, up to the first that always does."""
    kept: list[Rule] = []
    for rule in rules:
        if rule.never_holds:
            continue
        kept.append(rule)
        if not rule.body.tests:
            break
    return tuple(kept)
