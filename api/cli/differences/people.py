"""The part of `writ diff` about people: who gains and who loses by a change, as its answer has it."""

from msgspec import Struct

from ....bundles import zones
from ....compiler.analysis.compare import Comparison
from ....compiler.analysis.regions import People
from ...review.wording.shown_regions import ShownRegion, ShownUnknown, shown_region, shown_unknown
from .sides import ComparedModel


class PeopleAnswer(Struct, frozen=True):
    """The regions of gains and losses, and what is not known."""

    gains: tuple[ShownRegion, ...]
    loses: tuple[ShownRegion, ...]
    unknown: tuple[ShownUnknown, ...]

    @property
    def is_empty(self) -> bool:
        """True if no subject gains or loses anything."""
        return not (self.gains or self.loses or self.unknown)


def compared_people(old: ComparedModel, new: ComparedModel) -> People:
    """Returns who gains and who loses from `old` to `new`. Raises CommandFailed for a damaged bundle."""
    judges = old.reason_code, new.reason_code
    return Comparison(old.side, new.side, judges, zones.installed_zone).run()


def people_answer(found: People) -> PeopleAnswer:
    """Returns the answer for an analysis."""
    return PeopleAnswer(
        tuple(map(shown_region, found.gains)),
        tuple(map(shown_region, found.loses)),
        tuple(map(shown_unknown, found.unknown)),
    )
