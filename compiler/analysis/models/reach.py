"""Tells to whom some ALLOW of a pair applies, whatever its conditions are: it is a candidate (D4, D5)."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias

from .sides import Pair, Side

Holders: TypeAlias = tuple[frozenset[str] | None, frozenset[str]]
"""The roles of a policy, or None if it is for everyone (P2), and those that it leaves out (P6)."""

_EVERYONE: Final[Holders] = None, frozenset()


@dataclass(frozen=True)
class Reach:
    """The subjects to whom some ALLOW applies: they hold what one of `any_of` asks for."""

    any_of: frozenset[Holders] = frozenset()

    @cached_property
    def for_everyone(self) -> bool:
        """True if a policy is for everyone."""
        return _EVERYONE in self.any_of

    @property
    def roles(self) -> Iterator[str]:
        """The roles that matter."""
        return (role for named, excepted in self.any_of for role in (*(named or ()), *excepted))


_NOWHERE: Final = Reach()


def reach_of(every: Iterable[Holders]) -> Reach:
    """Returns the reach of some policies. Policies that reach the same subjects have equal reaches, if none has
    exceptions.

    >>> sorted(*(roles for roles, _ in reach_of([(frozenset("a"), frozenset()), (frozenset("b"), frozenset())]).any_of))
    ['a', 'b']
    """
    found = set(every)
    if _EVERYONE in found:
        return Reach(frozenset({_EVERYONE}))
    excepting = {one for one in found if one[1]}
    named = frozenset[str]().union(*(roles for roles, excepted in found if roles and not excepted))
    return Reach(frozenset({*excepting, (named, frozenset[str]())} if named else excepting))


@dataclass(frozen=True)
class Reaches:
    """The reach of each declared pair of a model, of the other actions of its type, and of all actions."""

    own: Mapping[Pair, Reach]
    others: Mapping[Pair, Reach]
    by_type: Mapping[str, Reach]

    def of(self, pair: Pair) -> tuple[Reach, Reach]:
        """Returns the reach of a pair, and of the other actions. The action need not be declared (D5)."""
        everything = self.by_type.get(pair[0], _NOWHERE)
        return self.own.get(pair, _NOWHERE), self.others.get(pair, everything)


def reaches(side: Side) -> Reaches:
    """Returns the reach of all pairs of a model."""
    held: dict[Pair, set[Holders]] = defaultdict(set)
    names = side.type_names
    for clause in side.program.clauses:
        if clause.effect == "ALLOW":
            holders = None if clause.roles is None else frozenset(clause.roles), frozenset(clause.except_roles)
            for type in clause.types:
                for action in clause.actions:
                    held[names[type], action].add(holders)
    own, others, by_type = {}, {}, {}
    for name, declared in side.types.items():
        found = {action: reach_of(held[name, action]) for action in declared.actions}
        by_type[name] = _united(found.values())
        for action, reach in found.items():
            own[name, action] = reach
            others[name, action] = _united(one for other, one in found.items() if other != action)
    return Reaches(own, others, by_type)


def _united(every: Iterable[Reach]) -> Reach:
    return reach_of(holders for one in every for holders in one.any_of)
