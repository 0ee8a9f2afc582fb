"""How much an engine remembers; all of it can be worked out again."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MemoLimits:
    """Entries of each memory. A specialisation counts for one, and the rules in all of them are counted too; of
    filters, their comparisons and the rules that they are worked out from.
    """

    specialisations: int = 65_536
    specialised_rules: int = 1_000_000
    subjects: int = 65_536
    role_sets: int = 65_536
    filters: int = 16_384
    filter_parts: int = 250_000
