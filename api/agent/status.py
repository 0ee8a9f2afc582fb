"""The status of a follower."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

State: TypeAlias = Literal["starting", "following", "behind"]
"""`starting`: nothing is in force yet. `behind`: the newest revision may not be in force, and `error` says why."""


@dataclass(frozen=True, slots=True)
class Status:
    """The state that a follower has in force, and its freshness.

    - `environment` is a UUID, or empty for a bundle that was compiled from files. It is None while nothing is in force,
      like `epoch`, `revision`, `bundle_revision` (that of the bundle under the updates) and `accepted`.
    - `accepted` is when the revision came into force, in epoch seconds, and `age` the seconds since.
    - `last_contact` is when the source last gave a usable answer, in epoch seconds, or None if it never did.
    - `staleness` is the time in seconds since the source last said that nothing is newer. It is infinite if it never
      did, or if the clocks can't tell.
    - `is_stale` says that the staleness is above the limit, if there is one.
    - `error` is one sentence about the last failure, or None after a success.
    - `leads` is false in a process that takes its updates from the state directory, which another process writes.
    - `confirmed` is when the source last said that nothing is newer, in epoch seconds. It is 0 if the staleness is
      infinite.
    """

    state: State
    environment: str | None
    epoch: int | None
    revision: int | None
    bundle_revision: int | None
    accepted: float | None
    age: float | None
    last_contact: float | None
    staleness: float
    is_stale: bool
    error: str | None
    leads: bool
    confirmed: float = 0.0

    @property
    def is_ready(self) -> bool:
        """True if something is in force, and it is not stale."""
        return self.state != "starting" and not self.is_stale
