"""The answer about people: who gains and who loses by a change, and what is not known."""

from msgspec import Struct, field
from msgspec.structs import force_setattr

from ....compiler.analysis.regions import People
from ..wording.shown_regions import ShownRegion, ShownUnknown, shown_region, shown_unknown
from .told_together import Told, told


class ChangedReasons(Struct, frozen=True):
    """A type and an action of which only the reason of denials changes, for some requests.

    `count` is the number of their regions, or None if it is not known.
    """

    resource_type: str
    action: str
    count: int | None


class PeopleAnswer(Struct, frozen=True):
    """The regions of gains and of losses, and what is not known: there may be more gains and losses.

    `reasons` counts the regions in which only the reason of a denial changes. A record of an older version has none.
    `told` follows from the other members: how texts and the console tell the answer.
    """

    gains: tuple[ShownRegion, ...]
    loses: tuple[ShownRegion, ...]
    unknown: tuple[ShownUnknown, ...]
    reasons: tuple[ChangedReasons, ...] = ()
    told: Told = field(default_factory=Told)

    def __post_init__(self) -> None:
        """Makes `told`, also for a record of an older version, which has none."""
        force_setattr(self, "told", told(self.gains, self.loses, self.unknown))

    @property
    def is_empty(self) -> bool:
        """True if no subject gains or loses anything."""
        return not (self.gains or self.loses or self.unknown)


def people_answer(found: People) -> PeopleAnswer:
    """Returns the answer for an analysis."""
    return PeopleAnswer(
        tuple(map(shown_region, found.gains)),
        tuple(map(shown_region, found.loses)),
        tuple(map(shown_unknown, found.unknown)),
        tuple(ChangedReasons(*one.pair, one.count) for one in found.reasons),
    )
