"""The subjects of two models, and what each holds in either. Those with the same standing are analysed once."""

from collections.abc import Iterator
from dataclasses import dataclass

from ....bundles.program.facts import EntityKey
from .sides import NOTHING, Side, Standing


@dataclass(frozen=True, slots=True, eq=False)
class Person:
    """A subject as requests name it. `keys` are the subjects that it is in either model, or None if it is none.

    `shown` is the key by which a report names it. `external_id` is set if a request names it so, and means another
    subject than before. `place` is its place in the order of all subjects.
    """

    shown: EntityKey
    keys: tuple[EntityKey | None, EntityKey | None]
    standings: tuple[Standing, Standing]
    external_id: str | None = None
    place: int = 0

    @property
    def is_others(self) -> bool:
        """True if it stands for all subjects that neither model names."""
        return self is OTHERS

    @property
    def same(self) -> bool:
        """True if it is the same subject in both models."""
        return self.keys[0] == self.keys[1]


NO_ONE = EntityKey("", "")
"""No subject has an empty id (E1)."""

OTHERS = Person(NO_ONE, (None, None), (NOTHING, NOTHING))


def people(before: Side, after: Side) -> Iterator[Person]:
    """Yields the subjects that one of the models names, and then the external ids that change their subject.

    The subjects are in the order of their keys.
    """
    known: dict[tuple[Standing, Standing], tuple[Standing, Standing]] = {}
    keys = sorted({*before.facts.subjects, *after.facts.subjects})
    for place, key in enumerate(keys):
        standings = before.standing(key), after.standing(key)
        yield Person(key, (key, key), known.setdefault(standings, standings), place=place)
    old, new = before.subjects_by_external_id, after.subjects_by_external_id
    changed = (named for named in sorted({*old, *new}) if old.get(named) != new.get(named))
    for place, named in enumerate(changed, len(keys)):
        was, now = old.get(named), new.get(named)
        standings = before.standing(was), after.standing(now)
        yield Person(now or was or NO_ONE, (was, now), standings, named[1], place)
