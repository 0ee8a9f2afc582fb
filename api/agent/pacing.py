"""Decides when to ask a source again, and when for a whole bundle. Chance spreads the requests of many followers."""

from random import Random
from typing import Final

FIRST_BACK_OFF: Final = 0.5
"""The longest pause in seconds after a first failure. It doubles with each failure."""

LONGEST_BACK_OFF: Final = 30.0
"""The longest pause in seconds after a failure that another question soon would only repeat."""

LONGEST_AWAY: Final = 2.0
"""The longest pause in seconds while the source is away, so the time within which a follower asks after its return."""

LONGEST_PAUSE: Final = 0.2
"""The longest pause in seconds after an update. Changes that come meanwhile come in one update."""

LONGEST_SPREAD: Final = 2.0
"""The longest pause in seconds before a follower asks for a whole bundle, if others may need it at the same time."""

MOST_DELTAS: Final = 10_000
"""The most deltas that a follower holds on top of a bundle. With more, it asks for a whole bundle."""

MOST_DELTA_BYTES: Final = 16 * 1024 * 1024
"""The most bytes of updates that a follower holds on top of a bundle."""

MOST_UPDATES: Final = 500
"""The most updates that a follower keeps on disk. With more, it asks for one that has all of their deltas: each one
takes a third of a millisecond at a start, for its signature."""

MOST_REFUSALS: Final = 3
"""The number of times that a follower fetches a bundle that it refuses. Then it waits for another one."""

REFUSED_SECONDS: Final = 600.0
"""The time for which it waits."""

PATIENT_SECONDS: Final = 60.0
"""The seconds for which a source may ask for patience (`Retry-After`) before that is a fault.

It may be making a bundle, or sending it to many others."""

_LEAST_SHARE: Final = 0.75


class Pacing:
    """The pauses of one follower, and its limits of updates."""

    def __init__(self, random: Random):
        self._random = random
        self._failures, self._is_away = 0, False
        self._waits_since: float | None = None
        self._share = random.uniform(_LEAST_SHARE, 1)

    def after_failure(self, retry_after: float | None) -> float:
        """Returns the pause in seconds after a failure. `retry_after` is the time that the source asked for."""
        longest = min(LONGEST_BACK_OFF, FIRST_BACK_OFF * 2 ** min(self._failures, 16))
        self._failures += 1
        return (retry_after or 0.0) + self._random.uniform(0, longest)

    def while_away(self, retry_after: float | None) -> float:
        """Returns the pause in seconds while a source is away. `retry_after` is the time that the source asked for.

        Many followers lose a source at the same instant, so the first pause is any part of the time. Later ones are
        the longer half of it: the followers are spread by then, and ask seldom.
        """
        least = LONGEST_AWAY / 2 if self._is_away else 0.0
        self._is_away = True
        return (retry_after or 0.0) + self._random.uniform(least, LONGEST_AWAY)

    def after_update(self) -> float:
        """Returns the pause in seconds after an accepted update."""
        self._succeeded()
        return self._random.uniform(0, LONGEST_PAUSE)

    def after_bundle(self) -> float:
        """Returns the pause in seconds after an accepted bundle: updates may lead on from it at once."""
        self._succeeded()
        return 0.0

    def after_nothing(self, interval: float, elapsed: float) -> float:
        """Returns the pause in seconds after an answer without news, which took `elapsed` seconds."""
        self._succeeded()
        return max(0.0, interval * self._random.uniform(0.8, 1.2) - elapsed)

    def is_patient(self, now: float) -> bool:
        """Returns whether to be patient with a source that asks for it at `now`, in the seconds of a steady clock."""
        self._waits_since = now if self._waits_since is None else self._waits_since
        return now - self._waits_since < PATIENT_SECONDS

    def _succeeded(self) -> None:
        self._failures, self._is_away, self._waits_since = 0, False, None

    def before_bundle(self) -> float:
        """Returns the pause in seconds before a whole bundle that other followers may need, too."""
        return self._random.uniform(0, LONGEST_SPREAD)

    def is_too_much(self, deltas: int, size: int) -> bool:
        """Returns whether a whole bundle should replace so many deltas of so many bytes."""
        return deltas > MOST_DELTAS * self._share or size > MOST_DELTA_BYTES * self._share

    def is_too_many(self, updates: int) -> bool:
        """Returns whether one update should replace so many."""
        return updates > MOST_UPDATES * self._share

    def allow_more(self) -> None:
        """Hold twice as many updates, because the source has nothing that replaces them."""
        self._share *= 2


class Refusals:
    """The tag of a bundle that was refused again and again. To fetch it once more would only be load."""

    def __init__(self) -> None:
        self._tag: str | None = None
        self._count = 0
        self._until = 0.0

    def add(self, tag: str | None, now: float) -> None:
        """Count a refused bundle. `now` is in the seconds of a steady clock."""
        self._count = self._count + 1 if tag == self._tag else 1
        self._tag, self._until = tag, now + REFUSED_SECONDS

    def forget(self) -> None:
        """Start again, after an accepted answer."""
        self._tag, self._count = None, 0

    def tag(self, now: float) -> str | None:
        """Returns the tag of what the follower does not want to have again at `now`, or None."""
        if now >= self._until:
            self.forget()
        return self._tag if self._count >= MOST_REFUSALS else None
