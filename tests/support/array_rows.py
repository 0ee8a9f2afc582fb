"""Rows of arrays of one type, and every comparison over them: each target's answer is held against the oracle (X6)."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from writ.runtime.translate import Array, Boolean, Integer, Real, Text, Untranslatable

from tests.support.fixed_rows import LOOK_ALIKES, VALUES, Row, Tree, fitting

FIELDS = {
    "texts": Array("texts", of=Text),
    "wholes": Array("wholes", of=Integer),
    "reals": Array("reals", of=Real),
    "flags": Array("flags", of=Boolean),
}
KINDS = {"texts": "text", "wholes": "whole", "reals": "real", "flags": "flag"}
STRANGE: tuple[Any, ...] = (*LOOK_ALIKES, [[]], [1, "a"], {"a": [1]}, 2.0**63, 2**53 + 1, float(2**53), "DRAFT", "1.0")


def rows(nul: bool = True) -> list[Row]:
    """No array, an empty one, NULL elements, each value alone, and several together; `nul` keeps texts with U+0000."""
    made = {key: list(arrays([*VALUES[kind]] if nul else _without_nul(kind))) for key, kind in KINDS.items()}
    size = max(map(len, made.values()))
    return [
        {"id": f"r{number}"} | {key: several[number % len(several)] for key, several in made.items()}
        for number in range(size)
    ]


def arrays(values: Sequence[Any]) -> Iterator[list[Any] | None]:
    """The arrays of a column with these values."""
    yield from (None, [], [None], [None, None])
    for number, value in enumerate(values):
        yield [value]
        yield [None, value, values[number - 1], value]
    yield [*values, None]


def trees(key: str) -> Iterator[Tree]:
    """Comparisons of elements with each value and with look-alikes, and of the array as a whole with no array."""
    own = VALUES[KINDS[key]]
    constants = [*own, *STRANGE]
    yield from (_field(key, "has", constant) for constant in constants)
    for some in ([], constants, constants[::2], constants[1::3], list(own[:2]), list(STRANGE), [*own[-1:], [], "x"]):
        yield from (_field(key, op, some) for op in ("has_any", "has_none"))
    for constant in (own[0], "a", 5, True, {"a": 1}):
        yield from (_field(key, op, constant) for op in ("eq", "ne"))
        yield from (_field(key, op, [constant]) for op in ("in", "nin"))
    yield from (_field(key, op, []) for op in ("in", "nin"))
    yield from (_field(key, op, constant) for op in ("gt", "lte") for constant in ("", 0))
    yield _field(key, "regex", "")
    yield _field(key, "lte", "2034-06-01T00:00:00Z") | {"value_type": "instant"}


def assert_exact(
    select: Callable[[Tree], list[str]], table: Sequence[Row], refused: Sequence[str] = (), keys: Sequence[str] = ()
) -> None:
    """Each tree and its negation select the rows of which the oracle says that they are true, or are refused."""
    everything = {str(row["id"]) for row in table}
    for tree in (tree for key in keys or FIELDS for tree in trees(key)):
        fits = fitting(tree, table)
        negated = {"type": "logical", "operator": "not", "conditions": [tree]}
        for chosen, expected in ((tree, fits), (negated, sorted(everything - {*fits}))):
            try:
                found = sorted(select(chosen))
            except Untranslatable as ex:
                if any(reason in ex.reason for reason in refused):
                    continue
                raise
            assert found == expected, (chosen, set(found) ^ set(expected))


def _without_nul(kind: str) -> list[Any]:
    return [value for value in VALUES[kind] if not isinstance(value, str) or "\0" not in value]


def _field(key: str, op: str, value: Any) -> Tree:
    return {"type": "field", "field": key, "operator": op, "value": value}
