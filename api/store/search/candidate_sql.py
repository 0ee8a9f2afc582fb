"""SQL for the candidates of a search: true of every stored body for which a filter holds, and perhaps of others.

The exact SQL of a filter (`writ.runtime.translate`) takes 10 µs for each row and comparison. This SQL takes 0.3 to
1 µs, since it need not be exact. It searches the body for a member as `encode_body` writes it, or it asks for the
member's value. SQLite parses a body once, however often it is asked. A comparison without such SQL is left out.
"""

from collections.abc import Sequence
from sys import float_info
from typing import Any, NamedTuple, TypeAlias, assert_never

from ....bundles.conditions.attribute_keys import steps_of
from ....bundles.conditions.comparisons import constants_of
from ....bundles.conditions.literals import literal_of
from ....bundles.conditions.operators import IS_UPWARD, Operator, Ordering
from ....bundles.conditions.trees.instant_comparisons import instant_comparison_in, is_of_instants
from ....bundles.conditions.trees.tree import And, Const, FilterTree, Not, Or, TreeComparison, complement
from ....bundles.conditions.values import Json, is_number
from ..elements.element_bodies import encode_body

MOST_COMPARISONS = 16
"""The most comparisons of a filter that become SQL. With more, the engine is as fast."""
MOST_CONSTANTS = 1_000
"""The most constants of a filter that become SQL."""
MOST_SEARCHES = 2
"""The most constants that a body is searched for. With more, parsing it is faster."""

_EXACT = 2**53
"""Integers below this are the same number to every parser."""
_DOUBT = 1e-12
"""The largest relative difference between the number that SQLite reads and the one that was written."""
_LEAST = 5e-324

_TRUE, _FALSE = "(1 = 1)", "(1 = 0)"

Sql: TypeAlias = str | None
"""A condition in SQL. None is true of every row."""


class _Value(NamedTuple):
    """A value in SQL: `read` cuts a string at U+0000 and has 1 and 0 for booleans, `raw` is its JSON."""

    read: str
    raw: str
    quoted: str
    """A condition: the value is a string."""


_ID = _Value("+id", "id", _TRUE)
"""The plus keeps SQLite from making texts of the numbers that a text column is compared with."""

_TEXT_ID = _Value("id", "id", _TRUE)
"""A database whose columns have one type each compares ids with texts only."""


class CandidateSql:
    """A filter as SQL for rows with the columns `id` and `body`. `condition` is None if it is true of every row.

    The names of `parameters` begin with `prefix`. `compares_json` is that of the connection.
    """

    def __init__(self, tree: FilterTree, prefix: str = "p", compares_json: bool = True):
        self.parameters: dict[str, Any] = {}
        self._prefix, self._compares_json = prefix, compares_json
        self._comparisons, self._constants = MOST_COMPARISONS, MOST_CONSTANTS
        self.condition = self._tree(tree)

    def _tree(self, tree: FilterTree) -> Sql:
        match tree:
            case TreeComparison():
                return self._comparison(tree, holds=True)
            case Not(TreeComparison() as child):
                return self._comparison(child, holds=False)
            case Not(child):
                return self._tree(complement(child))
            case And(children):
                known = [sql for sql in self._children(children) if sql is not None]
                return f"({' AND '.join(known)})" if known else None
            case Or(children):
                return _either(self._children(children))
            case Const(value):
                return None if value else _FALSE
            case _:
                assert_never(tree)

    def _children(self, children: Sequence[FilterTree]) -> list[Sql]:
        return [self._tree(child) for child in sorted(children, key=_cost)]

    def _comparison(self, tree: TreeComparison, holds: bool) -> Sql:
        among = constants_of(tree.op, tree.value)
        if tree.key == "type" or is_of_instants(tree.key) or self._comparisons == 0 or self._constants < len(among):
            return None
        if not self._compares_json and not _is_plain(tree, among, holds):
            return None
        self._comparisons -= 1
        self._constants -= len(among)
        match tree.op:
            case Operator.EQ | Operator.IN:
                return self._equals(tree, among, holds) if holds else self._differs(tree, among, holds)
            case Operator.NE | Operator.NIN:
                return self._differs(tree, among, holds) if holds else self._equals(tree, among, holds)
            case Operator.GT | Operator.GTE | Operator.LT | Operator.LTE:
                return self._ordered(tree, tree.op, holds)
            case Operator.REGEX:
                return self._matches(tree) if holds else None
            case Operator.HAS | Operator.HAS_ANY | Operator.HAS_NONE:  # the elements of an array are not searched
                return None
            case _:
                assert_never(tree.op)

    def _equals(self, tree: TreeComparison, among: Sequence[Json], holds: bool) -> Sql:
        """The value may be one of the constants. For the negation of `ne`, it may be absent too (F5)."""
        if holds and tree.key != "id" and _are_searched(among):
            return self._searched(tree.key, among)
        value = self._value(tree.key)
        if value is None or any(isinstance(item, list | dict) for item in among):
            return None
        found = [self._among(value.read, [reading for item in among for reading in _readings(item)])]
        found += [self._between(value, *_around(item)) for item in among if is_number(item) and not _is_exact(item)]
        return _either(found if holds else [f"{value.read} IS NULL", *found])

    def _differs(self, tree: TreeComparison, among: Sequence[Json], holds: bool) -> Sql:
        """The value is not certainly one of the constants. For `ne`, it is not absent either."""
        if tree.key == "id":
            return f"NOT {self._among('id', [item for item in among if isinstance(item, str)])}"
        value = self._value(tree.key)
        if value is None:
            return None
        certain = [_json(item).decode() for item in among if not is_number(item) or _is_exact(item)]
        if holds:
            return f"NOT {self._among(value.raw, ['null', *certain])}"
        sql = self._among(value.raw, certain)
        if _are_searched(among):
            sql = f"{self._searched(tree.key, among)} AND {sql}"
        return f"({sql}) IS NOT TRUE"

    def _ordered(self, tree: TreeComparison, op: Ordering, holds: bool) -> Sql:
        """The value may be in this order. For the negation, it is not certainly in it."""
        value, upward = self._value(tree.key), IS_UPWARD[op]
        if value is None:
            return None
        if is_number(tree.value):
            low, high = _around(tree.value)
            if holds:
                return self._between(value, *((low, float("inf")) if upward else (float("-inf"), high)))
            sql = self._between(value, *((high, float("inf")) if upward else (float("-inf"), low)))
            return f"({sql} AND substr({value.raw}, 1, 1) NOT IN ('t', 'f')) IS NOT TRUE"
        # A read string is never greater than the stored one. Below a text without U+0000, it is only if that one is.
        cut = _cut(tree.value)
        if holds:
            return f"{value.read} >= {self._bound(cut)}" if upward else self._between(value, "", tree.value)
        sql = f"{value.read} > {self._bound(tree.value)}" if upward else f"{value.read} < {self._bound(cut)}"
        return f"({sql} AND {value.quoted}) IS NOT TRUE"

    def _matches(self, tree: TreeComparison) -> Sql:
        """The text of a pattern that is plain text occurs."""
        text, _ = literal_of(tree.value) or ("", "inside")
        if not text:
            return None
        return self._instr("id", text) if tree.key == "id" else self._instr("body", _json(text)[1:-1])

    def _searched(self, key: str, among: Sequence[Json]) -> str:
        """The body has a member with the key's name, or the last name of its path (C1), and one of the values."""
        names = {key, *steps_of(key)[-1:]}
        found = [self._instr("body", _json({name: item})[1:-1]) for item in among for name in sorted(names)]
        return _either(found) or _FALSE

    def _value(self, key: str) -> _Value | None:
        """Returns the value that the key names (C1, E6), or None if no path of SQLite leads to it."""
        if key == "id":
            return _ID if self._compares_json else _TEXT_ID
        steps = steps_of(key)
        if not all(name and _json(name) == f'"{name}"'.encode() for name in (key, *steps)):
            return None
        text, whole = "CAST(body AS TEXT)", self._path(key)
        read, raw = f"json_extract({text}, {whole})", f"{text} -> {whole}"
        if steps:
            path = self._path(*steps)
            read, raw = (
                f"coalesce({read}, json_extract({text}, {path}))",
                f"coalesce(nullif({raw}, 'null'), {text} -> {path})",
            )
        return _Value(read, f"({raw})", f"substr({raw}, 1, 1) = '\"'")

    def _path(self, *names: str) -> str:
        return self._bound("".join(["$.attributes", *(f'."{name}"' for name in names)]))

    def _among(self, expression: str, values: Sequence[Any]) -> str:
        return f"({expression} IN ({', '.join(map(self._bound, values))}))" if values else _FALSE

    def _between(self, value: _Value, low: Any, high: Any) -> str:
        return f"({value.read} BETWEEN {self._bound(low)} AND {self._bound(high)})"

    def _instr(self, column: str, part: str | bytes) -> str:
        return f"(instr({column}, {self._bound(part)}) > 0)"

    def _bound(self, value: Any) -> str:
        name = f"{self._prefix}{len(self.parameters)}"
        self.parameters[name] = value
        return f":{name}"


def may_hold_without_attributes(tree: FilterTree) -> bool:
    """Returns whether a filter may hold for an entity without attributes."""
    match tree:
        case TreeComparison():
            of_instants = instant_comparison_in(tree)
            return (of_instants or tree).key == "id"
        case Not(TreeComparison()):
            return True
        case Not(child):
            return may_hold_without_attributes(complement(child))
        case And(children):
            return all(map(may_hold_without_attributes, children))
        case Or(children):
            return any(map(may_hold_without_attributes, children))
        case Const(value):
            return value
        case _:
            assert_never(tree)


def _either(conditions: Sequence[Sql]) -> Sql:
    known = [sql for sql in conditions if sql is not None]
    if len(known) < len(conditions):
        return None
    return f"({' OR '.join(known)})" if known else _FALSE


def _cost(tree: FilterTree) -> int:
    """Returns the order of a child in an AND: SQLite asks the first of every row, the others of fewer rows."""
    match tree:
        case TreeComparison("id") | Not(TreeComparison("id")):
            return 0
        case TreeComparison(_, Operator.EQ, value) if _are_searched([value]):
            return 1
        case TreeComparison() | Not(TreeComparison()):
            return 2
        case _:
            return 3


def _is_plain(tree: TreeComparison, among: Sequence[Json], holds: bool) -> bool:
    """Returns whether a comparison needs no value out of a body: it is of ids with texts, or searches for texts."""
    if tree.op == Operator.REGEX:
        return True
    if tree.key == "id":
        values = [tree.value] if tree.op in IS_UPWARD else among
        return all(isinstance(value, str) for value in values)
    return tree.op in (Operator.EQ, Operator.IN) and holds and _are_searched(among)


def _are_searched(among: Sequence[Json]) -> bool:
    """Returns whether these constants have one JSON text each, and are few."""
    return len(among) <= MOST_SEARCHES and all(isinstance(item, str | bool) for item in among)


def _json(value: Json) -> bytes:
    """Returns a value as it is written in a stored body."""
    text: bytes = encode_body(value)
    return text


def _is_exact(number: float) -> bool:
    return abs(number) < _EXACT and number == int(number)


def _readings(constant: Json) -> Sequence[Any]:
    """Returns what SQLite may read for a value that equals the constant."""
    if isinstance(constant, str):
        return sorted({constant, _cut(constant)})
    return [int(constant)] if isinstance(constant, bool) or _is_exact(constant) else []


def _cut(text: str) -> str:
    """Returns a string of a JSON text as SQLite before 3.45 reads it."""
    return text.partition("\0")[0]


def _around(number: Json) -> tuple[float, float]:
    """Returns a number that is certainly less, and one that is certainly greater."""
    try:
        nearest = float(number)
    except OverflowError:
        nearest = float_info.max if number > 0 else -float_info.max
    doubt = abs(nearest) * _DOUBT + _LEAST
    return nearest - doubt, nearest + doubt
