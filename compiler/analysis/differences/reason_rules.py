"""The rules for one pair that decide the reason of a denial too: candidates, and what applies for other actions."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property

from ..conditions.variables import GRANT, OTHER_GRANT, Literal
from ..models.grants import Grants, PairGrants, Spans
from ..models.people import Person
from ..models.reach import Reach
from ..models.sides import Standing
from .diagram import NamedBody
from .pair_rules import ALL_TIME, PairRules, RenamedResource, grant_rules, timed, times_held
from .reason_diagram import CANDIDATE, OTHER_ACTION


@dataclass
class ReasonRules(PairRules):
    """The rules of one pair, with `reach`, whom its ALLOWs reach in either model, and `others`, whom those of the
    other actions reach.
    """

    grants: Grants
    reach: tuple[Reach, Reach]
    others: tuple[Reach, Reach]

    @cached_property
    def changed(self) -> bool:
        """True if the rules themselves differ, not only what a subject holds."""
        return super().changed or self.others[0] != self.others[1]

    @cached_property
    def roles(self) -> frozenset[str]:
        """The roles that matter."""
        return super().roles.union(*(one.roles for one in self.others))

    def is_special(self, person: Person, grants: PairGrants) -> bool:
        """Returns whether the id of a subject is another constant of its rules too, such as the id of a resource."""
        return super().is_special(person, grants) or person.shown.id in self._other_grants(person).changed_ids

    def signature(self, person: Person, grants: PairGrants) -> Hashable:
        """Returns a key that is equal for subjects to whom the rules apply alike. The held roles decide the reaches."""
        others = self._other_grants(person)
        return super().signature(person, grants), bool(others.common), others.changed

    def _other_grants(self, person: Person) -> PairGrants:
        return self.grants.of(person, self.pair, others=True)

    def rules(
        self, person: Person, grants: PairGrants, side: int, resource: RenamedResource | None = None
    ) -> frozenset[NamedBody]:
        """Returns the rules of one model that can apply to a subject, or decide why it is denied, on any resource.

        Raises TooManyAlternatives.
        """
        if self.pair[0] not in self.sides[side].types:
            return frozenset()
        standing, others = person.standings[side], self._other_grants(person)
        found = {one for one in super().rules(person, grants, side, resource) if one[0] != "BLOCK"}
        if self.sides[side].declares(self.pair):
            found |= _reached(CANDIDATE, _times(self.reach[side], standing))
        found |= _reached(OTHER_ACTION, _times(self.others[side], standing))
        found.update(grant_rules(OTHER_ACTION, OTHER_GRANT, others, side))
        if found and self.blocked[side]:
            found.add(("BLOCK", self.block({GRANT: grants, OTHER_GRANT: others}, side)))
        return frozenset(found)


def _times(reach: Reach, standing: Standing) -> tuple[Spans, ...]:
    """Returns the times at which some ALLOW applies to a subject with a standing, for each kind of holders."""
    if reach.for_everyone:
        return (ALL_TIME,)
    found = (times_held(roles, excepted, standing) for roles, excepted in reach.any_of)
    return tuple(sorted({times for times in found if times}))


def _reached(effect: str, every: Iterable[Spans]) -> set[NamedBody]:
    return {(effect, timed(frozenset[Literal](), times)) for times in every}
