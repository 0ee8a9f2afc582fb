"""Answers what has a part of a text: in one list, or in all lists of an environment."""

from collections.abc import Mapping

from ..database.connections import StoreConnections
from ..elements.kinds import kind_named
from ..environment_ids import Bounds
from ..environments import environment_within
from ..pages import MAX_PAGE
from .finding import Total, found_page, total
from .listing import ElementPage
from .overview import FoundInList, overview


class Finder:
    """The questions about a part of a text. Every method raises NotFound, OutOfBounds, BadQuery and StoreUnavailable.

    A part is in a text if its folded form is in that of the text (see `folding`).
    """

    def __init__(self, connections: StoreConnections) -> None:
        self._connections = connections

    def page(
        self,
        env: str,
        kind: str,
        part: str,
        filters: Mapping[str, str] | None = None,
        limit: int = MAX_PAGE,
        cursor: str | None = None,
        bounds: Bounds = None,
        sort: str = "",
    ) -> ElementPage:
        """Returns the elements of a list with a part of a text that pass all `filters`, in the order of the list.

        Without a part, `sort` may name another order (see `orders.SORTS`).
        """
        known = kind_named(kind)
        with self._connections.reading() as db:
            return found_page(db, environment_within(db, env, bounds), known, part, filters or {}, limit, cursor, sort)

    def total(
        self, env: str, kind: str, part: str, filters: Mapping[str, str] | None = None, bounds: Bounds = None
    ) -> Total:
        """Returns how many elements of a list have a part of a text and pass all `filters`."""
        known = kind_named(kind)
        with self._connections.reading() as db:
            return total(db, environment_within(db, env, bounds), known, part, filters or {})

    def overview(self, env: str, part: str, limit: int, bounds: Bounds = None) -> tuple[FoundInList, ...]:
        """Returns up to `limit` elements of each list that has some with a part of a text, the likeliest first."""
        with self._connections.reading() as db:
            return overview(db, environment_within(db, env, bounds), part, limit)
