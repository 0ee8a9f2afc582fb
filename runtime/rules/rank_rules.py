"""Puts rules into the order in which they are reported (D8), apart by effect, each with its search."""

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ...bundles.program.clauses import During
from .attribute_index import RuleSearch
from .rule import Rule


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """Rules of both effects. The searches leave out rules that can't hold, and those behind one that always does."""

    denies: tuple[Rule, ...]
    allows: tuple[Rule, ...]
    deny_search: RuleSearch
    allow_search: RuleSearch
    timed: bool

    def __len__(self) -> int:
        return len(self.denies) + len(self.allows)

    def __iter__(self) -> Iterator[Rule]:
        yield from self.denies
        yield from self.allows

    @property
    def indexed(self) -> bool:
        """Whether a search is better than testing one rule after the other."""
        return self.deny_search.indexed or self.allow_search.indexed


def rank_rules(rules: Sequence[Rule]) -> Ranked:
    """The rules in order, and their searches."""
    ordered = sorted(rules, key=lambda rule: rule.rank)
    denies = tuple(rule for rule in ordered if rule.clause.effect == "DENY")
    allows = tuple(rule for rule in ordered if rule.clause.effect == "ALLOW")
    timed = any(isinstance(atom, During) for rule in rules for atom in rule.clause.body)
    return Ranked(denies, allows, RuleSearch(worth_testing(denies)), RuleSearch(worth_testing(allows)), timed)


def merged(orders: Iterable[Sequence[Rule]]) -> tuple[Rule, ...]:
    """Several orders as one."""
    return tuple(heapq.merge(*orders, key=lambda rule: rule.rank))


def worth_testing(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """The rules that can hold, up to the first that always does."""
    kept: list[Rule] = []
    for rule in rules:
        if rule.never_holds:
            continue
        kept.append(rule)
        if not rule.body.tests:
            break
    return tuple(kept)
