"""A step from one format of the store to the next one, and how it is taken beside servers of the format before."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from ..connection import Connection

Tables: TypeAlias = Callable[[Connection], None]
"""Changes the tables, by SQL that both engines run."""

MemberPath: TypeAlias = tuple[str, ...]
"""The names of members, each inside the one before. A list on the way stands for each of its items."""

GATEWAY: Final = "gateway"
"""The list that stands for the gateway settings of an environment."""


def no_tables(_db: Connection) -> None:
    """Change no table that both engines have."""


@dataclass(frozen=True, slots=True)
class Beside:
    """The way in which a step is taken on PostgreSQL while servers of the format before go on, and can start again.

    Attributes:
        tables: Only adds: columns that may be left out, tables, indexes.
        server: PostgreSQL's own statements after that, such as a trigger that completes what older servers write.
        contract: The statements that do the rest of the step once no older server can come back.
        unread: The members that servers of the format before can't read, by their list. Until the contraction, no
            write may have one.
        needs: The rules of a delta that they can't read (see `bundles/extensions`). Until the contraction, such a delta
            is left out, and each server builds a bundle.
    """

    tables: Tables = no_tables
    server: str = ""
    contract: tuple[str, ...] = ()
    unread: Mapping[str, tuple[MemberPath, ...]] = field(default_factory=dict)
    needs: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Step:
    """A step to the next format.

    Attributes:
        tables: Takes the whole step in a store that no older server uses.
        server: PostgreSQL's own statements after that.
        beside: How the step is taken beside servers of the format before, or None if they can't go on with it.
    """

    tables: Tables
    server: str = ""
    beside: Beside | None = None
