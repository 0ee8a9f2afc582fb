"""The time since a source said that the revision in force is the newest.

Jumps of the clock do not make it look fresh.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import uuid4

import msgspec

from ...bundles.signing.signature_check import instant_text

_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True, slots=True)
class Clocks:
    """The clocks of a process.

    - `wall` gives epoch seconds. It may jump.
    - `steady` gives the seconds since the machine started. It counts while the machine sleeps, too.
    - `boot` names this start of the machine: `steady` can be compared with values of the same start only.
    """

    wall: Callable[[], float]
    steady: Callable[[], float]
    boot: str


def system_clocks() -> Clocks:
    """Returns the clocks of the system."""
    try:
        boot = _BOOT_ID.read_text("ascii").strip()
    except (OSError, ValueError):
        boot = str(uuid4())  # no other process can compare its steady clock then
    return Clocks(time.time, lambda: time.clock_gettime(time.CLOCK_BOOTTIME), boot)


class Freshness(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The instant for which a source last said that nothing is newer, by both clocks; see `Clocks`.

    `issued` is when this was signed, or 0 if the source itself said it.
    """

    wall: float
    steady: float
    boot: str
    issued: float = 0.0

    def seconds(self, clocks: Clocks) -> float:
        """Returns the time since then. It is infinite if the clocks can't tell."""
        if self.boot == clocks.boot:
            return max(0.0, clocks.steady() - self.steady)
        since = clocks.wall() - self.wall
        return since if since >= 0 else math.inf


def why_stale(fresh: Freshness | None) -> str:
    """Returns why a revision is stale though nothing failed, in one sentence: the source is silent, or repeats itself.

    The sentence stays the same until the source says something new.
    """
    if fresh is None:
        return "the source has not said yet that nothing is newer"
    if fresh.issued:
        return f"the source has sent nothing that was signed after {instant_text(fresh.issued)}"
    return f"the source has not said since {instant_text(int(fresh.wall))} that nothing is newer"


def fresh_now(clocks: Clocks, issued: float | None, earlier: Freshness | None) -> Freshness:
    """Returns the freshness after an answer that was signed at `issued`, in epoch seconds, or None for now.

    A message that proves nothing new leaves the `earlier` one. The clock may have jumped since it came first.
    """
    wall, steady = clocks.wall(), clocks.steady()
    if issued is None:
        return Freshness(wall, steady, clocks.boot)
    if earlier is not None and issued <= earlier.issued:
        return earlier
    age = max(0.0, wall - issued)
    return Freshness(wall - age, steady - age, clocks.boot, issued)
