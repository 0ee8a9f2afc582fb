"""The subjects of a region, in the order of their keys. They are counted at once, and listed as far as asked for.

PERF: a model of 100,000 subjects has thousands of regions, and most of these have most of the subjects.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import merge
from itertools import chain, islice
from operator import attrgetter
from typing import Final

from .models.people import OTHERS, Person

_place: Final[Callable[[Person], int]] = attrgetter("place")


@dataclass(frozen=True, eq=False)
class Rest(Collection[Person]):
    """The subjects of `everyone` but those that `is_left_out` names, of which there are `left_out`."""

    everyone: Sequence[Person]
    is_left_out: Callable[[Person], bool]
    left_out: int

    def __len__(self) -> int:
        return len(self.everyone) - self.left_out

    def __iter__(self) -> Iterator[Person]:
        return (person for person in self.everyone if not self.is_left_out(person))

    def __contains__(self, person: object) -> bool:
        return any(one is person for one in self)


@dataclass(frozen=True, eq=False)
class Members(Collection[Person]):
    """The subjects of some parts, which have none in common. OTHERS are left out, since they have no name."""

    parts: Sequence[Collection[Person]]

    @cached_property
    def _named(self) -> Sequence[Person]:
        """The subjects of all parts that are lists, in order."""
        listed = chain.from_iterable(part for part in self.parts if not isinstance(part, Rest))
        return sorted((person for person in listed if person is not OTHERS), key=_place)

    @cached_property
    def _rests(self) -> Sequence[Rest]:
        return [part for part in self.parts if isinstance(part, Rest)]

    def __len__(self) -> int:
        return len(self._named) + sum(map(len, self._rests))

    def __iter__(self) -> Iterator[Person]:
        return merge(self._named, *self._rests, key=_place)

    def __contains__(self, person: object) -> bool:
        return any(one is person for one in self)

    def first(self, count: int) -> tuple[Person, ...]:
        """Returns the first subjects, as many as `count` at most."""
        return tuple(islice(self, count))
