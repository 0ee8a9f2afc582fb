"""A set of roles with the paths by which a subject holds them."""

from dataclasses import dataclass

from .reasons import PolicyPath


@dataclass(frozen=True, slots=True, eq=False)
class RoleSet:
    """The roles that a subject holds, by number and path, sorted. There is one object for each set.

    PERF: it is a key by its identity, so that to look it up costs no comparison of roles.
    """

    held: tuple[tuple[int, PolicyPath], ...]
