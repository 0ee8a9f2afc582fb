"""How much an engine remembers; all of it can be worked out again."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MemoLimits:
    """Entries of each memory."""

    specialisations: int = 65_536
    subjects: int = 65_536
    role_sets: int = 65_536
