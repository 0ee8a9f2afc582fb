"""The sizes of an engine's caches. Everything in a cache can be computed again."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CacheLimits:
    """The entries that each cache may hold.

    `held_roles` bounds the roles in all sets of roles together, and `specialised_rules` the rules in all
    specialisations. `held_grants` bounds the groups with grants of all subjects together. `filter_parts` bounds the
    comparisons of all filters, and the rules that they derive from.
    """

    specialisations: int = 65_536
    specialised_rules: int = 1_000_000
    subjects: int = 65_536
    role_sets: int = 65_536
    held_roles: int = 1_000_000
    held_grants: int = 1_000_000
    filters: int = 16_384
    filter_parts: int = 250_000


@dataclass(frozen=True, slots=True)
class CacheSizes:
    """The entries that each cache of an engine has now. `programs` are those specialised for a set of roles."""

    filters: int
    subjects: int
    role_sets: int
    programs: int
