"""The orders of lists: by key, by name or by end, forwards or backwards, each served by an index."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from typing import Final, TypeAlias

from ....bundles.wording import alternatives, quoted
from ....compiler.model.elements import ElementKind
from ..elements.kinds import Kind, Value
from ..errors import BadQuery
from ..pages import read_cursor

Condition: TypeAlias = tuple[str, tuple[Value, ...]]
"""SQL of a part of a list, and its parameters."""

_BY_ID: Final = {"id": ("id",)}
_BY_NAME: Final = {"id": ("id",), "name": ("called", "id")}
_BY_TYPE: Final = {"id": ("type", "id"), "name": ("type", "called", "id")}
_BY_END: Final = {"id": ("id",), "expires_at": ("expires", "id")}

SORTS: Final[dict[ElementKind, dict[str, tuple[str, ...]]]] = {
    ElementKind.RESOURCE_TYPES: {"id": ("id",), "name": ("name",)},  # no two have one name
    ElementKind.ROLES: _BY_NAME,
    ElementKind.GROUPS: _BY_NAME,
    ElementKind.SUBJECTS: _BY_TYPE,
    ElementKind.RESOURCES: _BY_TYPE,
    ElementKind.ASSIGNMENTS: _BY_END,
    ElementKind.GRANTS: _BY_END,
    ElementKind.POLICIES: _BY_NAME,
}
"""The orders that an index serves, by the kind and the member, with the columns of the index."""

_BACKWARDS: Final = "-"


def sorts_of(kind: ElementKind) -> tuple[str, ...]:
    """Returns the values that `sort` may have for a list, or none if it has one order only."""
    return tuple(sign + name for name in SORTS.get(kind, ()) for sign in ("", _BACKWARDS))


@dataclass(frozen=True, slots=True)
class Order:
    """An order of a list. Only the end of a term may be missing: no end counts as later than every end.

    `list_name` is the name that the cursors of the list have in this order.
    """

    list_name: str
    columns: tuple[str, ...]
    backwards: bool = False

    @property
    def sql(self) -> str:
        """The terms of ORDER BY."""
        return ", ".join(f"{column} DESC" if self.backwards else column for column in self.columns)

    def parts(self, cursor: str | None) -> Iterator[Condition]:
        """Yields the parts of the list after a cursor, in this order. Raises BadQuery."""
        after = None if cursor is None else read_cursor(self.list_name, cursor, len(self.columns))
        if self.columns[0] != "expires":
            yield self._after(self.columns, after) if after else ("", ())
            return
        ended, endless = self._ends(after)
        yield from filter(None, (endless, ended) if self.backwards else (ended, endless))

    def _ends(self, after: tuple[str, ...] | None) -> tuple[Condition | None, Condition | None]:
        """Returns the part of the rows with an end, and that of the others. One that lies before the cursor is None."""
        ended, endless = ("expires IS NOT NULL", ()), ("expires IS NULL", ())
        if after is None:
            return ended, endless
        end, id = after
        if end == _MISSING:
            return ended if self.backwards else None, _both(endless, self._after(self.columns[1:], (id,)))
        return _both(ended, self._after(self.columns, (_end_in(end), id))), None if self.backwards else endless

    def _after(self, columns: tuple[str, ...], values: tuple[Value, ...]) -> Condition:
        sign = "<" if self.backwards else ">"
        return f"({', '.join(columns)}) {sign} ({', '.join('?' for _ in columns)})", values


_MISSING: Final = str(None)
"""The text of a missing end in a cursor. No number has it."""


def order_of(kind: Kind, sort: str) -> Order:
    """Returns the order that `sort` names, such as `name` or `-name`; "" is that of the list. Raises BadQuery."""
    if sort in ("", "id") and (not sort or kind.name in SORTS):
        return Order(kind.name, kind.order)
    if sort not in sorts_of(kind.name):
        known = sorts_of(kind.name)
        choice = f"only {alternatives(known)}" if known else "it has one order"
        raise BadQuery(f"this list can't be sorted by {quoted(sort)}, {choice}")
    return Order(f"{kind.name} {sort}", SORTS[kind.name][sort.removeprefix(_BACKWARDS)], sort.startswith(_BACKWARDS))


def _both(one: Condition, other: Condition) -> Condition:
    return f"{one[0]} AND {other[0]}", (*one[1], *other[1])


def _end_in(text: str) -> float:
    try:
        end = float(text)
    except ValueError:
        end = float("nan")
    if not isfinite(end):
        raise BadQuery("the cursor is not of this list; begin without one")
    return end
