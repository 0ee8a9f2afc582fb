"""Conditions as SQL over a stored body that is true wherever the condition holds, and perhaps elsewhere.

The exact SQL of a filter (`writ.runtime.translate`) takes 10 µs a row and comparison, this takes 0.3 to 1 µs, since it
need not be exact: a member is searched for in the body as `encode_body` wrote it, or its value is asked for, for which
SQLite parses a body once, however often it is asked. What can't be said so is left out, each comparison for itself.
"""

from collections.abc import Sequence
from sys import float_info
from typing import Any, NamedTuple, TypeAlias, assert_never

from ....bundles.conditions.comparisons import constants_of
from ....bundles.conditions.keys import steps_of
from ....bundles.conditions.literals import literal_of
from ....bundles.conditions.operators import Operator, Ordering, is_upward
from ....bundles.conditions.trees.tree import Compared, Form
from ....bundles.conditions.values import Json, is_number
from ..elements.bodies import encode_body

MOST_COMPARISONS = 16
"""Comparisons of a form that SQL makes; with more, the engine is as fast."""
MOST_CONSTANTS = 1_000
"""Constants of a form that SQL compares with."""
MOST_SEARCHES = 2
"""Constants that a body is searched for; with more, parsing it is faster."""

_EXACT = 2**53
"""Integers below this are the same number to everybody."""
_DOUBT = 1e-12
"""How far, relatively, the number that SQLite reads may be from the one that was written."""
_LEAST = 5e-324

Sql: TypeAlias = str | None
"""SQL; None is true of every row."""


class _Value(NamedTuple):
    """A value in SQL: `read` cuts a string at U+0000 and has 1 and 0 for flags, `raw` is its JSON."""

    read: str
    raw: str
    quoted: str
    """That it is a string."""


_ID = _Value("+id", "id", "1")
"""The plus keeps SQLite from making texts of the numbers that a text column is compared with."""


class CandidateSql:
    """A form in SQL, for rows with the columns `id` and `body`. `condition` is None where nothing can be left out.

    The names of `parameters` begin with `prefix`.
    """

    def __init__(self, form: Form, prefix: str = "p"):
        self.parameters: dict[str, Any] = {}
        self._prefix = prefix
        self._comparisons, self._constants = MOST_COMPARISONS, MOST_CONSTANTS
        self.condition = self._form(form)

    def _form(self, form: Form) -> Sql:
        if isinstance(form, Compared):
            return self._compared(form)
        parts = [self._form(child) for child in sorted(form.children, key=_cost)]
        if form.operator == "or":
            return _either(parts)
        known = [one for one in parts if one is not None]
        return f"({' AND '.join(known)})" if known else None

    def _compared(self, form: Compared) -> Sql:
        among = constants_of(form.op, form.value)
        if form.key == "type" or self._comparisons == 0 or self._constants < len(among):
            return None
        self._comparisons -= 1
        self._constants -= len(among)
        match form.op:
            case Operator.EQ | Operator.IN:
                return self._equals(form, among) if form.holds else self._differs(form, among)
            case Operator.NE | Operator.NIN:
                return self._differs(form, among) if form.holds else self._equals(form, among)
            case Operator.GT | Operator.GTE | Operator.LT | Operator.LTE:
                return self._ordered(form, form.op)
            case Operator.REGEX:
                return self._matches(form) if form.holds else None
            case _:
                assert_never(form.op)

    def _equals(self, form: Compared, among: Sequence[Json]) -> Sql:
        """That the value may be one of the constants; where that is the negation of `ne`, it may be absent too (F5)."""
        if form.holds and form.key != "id" and _are_searched(among):
            return self._searched(form.key, among)
        value = self._value(form.key)
        if value is None or any(isinstance(item, list | dict) for item in among):
            return None
        parts = [self._among(value.read, [found for item in among for found in _readings(item)])]
        parts += [self._between(value, *_around(item)) for item in among if is_number(item) and not _is_exact(item)]
        return _either(parts if form.holds else [f"{value.read} IS NULL", *parts])

    def _differs(self, form: Compared, among: Sequence[Json]) -> Sql:
        """That the value is not certainly one of the constants; where that is `ne`, it is not absent either."""
        if form.key == "id":
            return f"NOT {self._among('id', [item for item in among if isinstance(item, str)])}"
        value = self._value(form.key)
        if value is None:
            return None
        certain = [_json(item).decode() for item in among if not is_number(item) or _is_exact(item)]
        if form.holds:
            return f"NOT {self._among(value.raw, ['null', *certain])}"
        sql = self._among(value.raw, certain)
        if _are_searched(among):
            sql = f"{self._searched(form.key, among)} AND {sql}"
        return f"({sql}) IS NOT TRUE"

    def _ordered(self, form: Compared, op: Ordering) -> Sql:
        """That the value may be in order, or is not certainly."""
        value, upward = self._value(form.key), is_upward(op)
        if value is None:
            return None
        if is_number(form.value):
            low, high = _around(form.value)
            if form.holds:
                return self._between(value, *((low, float("inf")) if upward else (float("-inf"), high)))
            sql = self._between(value, *((high, float("inf")) if upward else (float("-inf"), low)))
            return f"({sql} AND substr({value.raw}, 1, 1) NOT IN ('t', 'f')) IS NOT TRUE"
        # What is read is never behind what is there, and is in front of a text without U+0000 only where that is.
        cut = _cut(form.value)
        if form.holds:
            return f"{value.read} >= {self._bound(cut)}" if upward else self._between(value, "", form.value)
        sql = f"{value.read} > {self._bound(form.value)}" if upward else f"{value.read} < {self._bound(cut)}"
        return f"({sql} AND {value.quoted}) IS NOT TRUE"

    def _matches(self, form: Compared) -> Sql:
        """That the text of a pattern that is only text is there."""
        text, _ = literal_of(form.value) or ("", "inside")
        if not text:
            return None
        return self._instr("id", text) if form.key == "id" else self._instr("body", _json(text)[1:-1])

    def _searched(self, key: str, among: Sequence[Json]) -> str:
        """That a body has a member of that name, the last one of a path (C1), with one of the values."""
        names = {key, *steps_of(key)[-1:]}
        parts = [self._instr("body", _json({name: item})[1:-1]) for item in among for name in sorted(names)]
        return _either(parts) or "0"

    def _value(self, key: str) -> _Value | None:
        """What the key names (C1, E6), None where no path of SQLite says so."""
        if key == "id":
            return _ID
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
        return f"({expression} IN ({', '.join(map(self._bound, values))}))"

    def _between(self, value: _Value, low: Any, high: Any) -> str:
        return f"({value.read} BETWEEN {self._bound(low)} AND {self._bound(high)})"

    def _instr(self, column: str, part: str | bytes) -> str:
        return f"instr({column}, {self._bound(part)})"

    def _bound(self, value: Any) -> str:
        name = f"{self._prefix}{len(self.parameters)}"
        self.parameters[name] = value
        return f":{name}"


def may_hold_of_nothing(form: Form) -> bool:
    """Whether a form may hold of an entity without attributes."""
    if isinstance(form, Compared):
        return form.key == "id" or not form.holds
    answers = map(may_hold_of_nothing, form.children)
    return all(answers) if form.operator == "and" else any(answers)


def _either(parts: Sequence[Sql]) -> Sql:
    known = [one for one in parts if one is not None]
    if len(known) < len(parts):
        return None
    return f"({' OR '.join(known)})" if known else "0"


def _cost(form: Form) -> int:
    """What stands first in an AND is asked of every row, what follows of few."""
    if not isinstance(form, Compared):
        return 3
    if form.key == "id":
        return 0
    return 1 if form.holds and form.op == Operator.EQ and _are_searched([form.value]) else 2


def _are_searched(among: Sequence[Json]) -> bool:
    """Whether these constants have one JSON text each, and are few."""
    return len(among) <= MOST_SEARCHES and all(isinstance(item, str | bool) for item in among)


def _json(value: Json) -> bytes:
    """As it stands in a stored body."""
    text: bytes = encode_body(value)
    return text


def _is_exact(number: float) -> bool:
    return abs(number) < _EXACT and number == int(number)


def _readings(constant: Json) -> Sequence[Any]:
    """As what SQLite may read a value that equals the constant."""
    if isinstance(constant, str):
        return sorted({constant, _cut(constant)})
    return [int(constant)] if isinstance(constant, bool) or _is_exact(constant) else []


def _cut(text: str) -> str:
    """As SQLite before 3.45 reads a string of a JSON text."""
    return text.partition("\0")[0]


def _around(number: Json) -> tuple[float, float]:
    """What is certainly less, and what is certainly greater."""
    try:
        nearest = float(number)
    except OverflowError:
        nearest = float_info.max if number > 0 else -float_info.max
    doubt = abs(nearest) * _DOUBT + _LEAST
    return nearest - doubt, nearest + doubt
