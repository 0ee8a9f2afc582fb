"""A filter without its values: texts, instants and direct grants are numbered, and equal values have one number."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from ..bundles.conditions.instants import show_instant
from ..bundles.conditions.operators import Operator
from ..bundles.conditions.trees.instant_comparisons import InstantComparison
from ..bundles.conditions.values import is_text
from ..runtime.translate import DirectGrants
from ..runtime.translate.read_tree import read_tree

MARK: Final = "\ufdd0writ "
_EQUALITIES: Final = (Operator.EQ, Operator.IN, Operator.NE, Operator.NIN)
_EPOCH: Final = datetime(1970, 1, 1)
_YEAR: Final = 365 * 86_400 * 10**9
_FIRST_MARKER: Final = 31 * _YEAR


class Slot(str):
    """A text in a template, in place of which each condition has another one. No policy has it."""

    number: int


def _as_text(instant: int) -> str:
    return (_EPOCH + timedelta(microseconds=instant // 1_000)).isoformat(" ", "microseconds")


def _as_instant(instant: int) -> datetime:
    return (_EPOCH + timedelta(microseconds=instant // 1_000)).replace(tzinfo=UTC)


FORMS: Final[tuple[Callable[[int], Any], ...]] = (_as_text, _as_instant)
"""The values that databases get for an instant, which is in nanoseconds since 1970."""


def marker(instant: int, number: int, twin: int) -> int:
    """Returns an instant in place of another one. A translation treats both alike: by whether a part is below 1 µs."""
    return _FIRST_MARKER + twin * _YEAR + number * 10**9 + 7_000 + (1 if instant % 1_000 else 0)


class Opened:
    """The values that were taken out of a filter, each by its number."""

    def __init__(self, kinds: Mapping[str, str]):
        """`kinds` says what the column of each key holds."""
        self._kinds = kinds
        self._tree: Any = None
        self.texts: dict[str, int] = {}
        self.instants: dict[int, int] = {}
        self.nodes: list[DirectGrants] = []
        self.is_odd = False
        """True if an instant is compared with a column of other values."""

    def tree(self, tree: Any) -> Any:
        """Returns a filter with numbers in place of its values, which it keeps. Raises BadFilter for a bad node."""
        self._tree = self._opened(tree)
        return self._tree

    def _opened(self, node: Any) -> Any:
        if node["type"] == "logical":
            return {**node, "conditions": [*map(self._opened, node["conditions"])]}
        if node["type"] == "direct":
            grants = read_tree(node)
            assert isinstance(grants, DirectGrants), "a node of this type"
            self.nodes.append(grants)
            return {"type": "direct", "node": len(self.nodes) - 1, "groups": bool(node["groups"])}
        if node["type"] == "field" and "value_type" in node:
            return self._of_instant(node)
        return self._of_texts(node) if node["type"] == "field" and self._kinds[node["field"]] == "text" else node

    def _of_instant(self, node: Any) -> Any:
        self.is_odd |= self._kinds[node["field"]] != "instant"
        comparison = read_tree(node)
        assert isinstance(comparison, InstantComparison), "a node with a type of its value"
        instant = comparison.instant
        number = self.instants.setdefault(instant, len(self.instants))
        return {**_without_value(node), "instant": number, "below": bool(instant % 1_000)}

    def _of_texts(self, node: Any) -> Any:
        """A text that no database may hold stays."""
        value = node["value"]
        constants = value if isinstance(value, list) else [value]
        if node["operator"] not in _EQUALITIES or not constants or not all(map(_is_plain, constants)):
            return node
        numbers = [self.texts.setdefault(one, len(self.texts)) for one in constants]
        return {**_without_value(node), "slots": numbers if isinstance(value, list) else numbers[0]}

    def marked(self, twin: int) -> Any:
        """Returns the filter with a mark in place of each value, and other instants for each `twin`."""
        return self._marked(self._tree, twin)

    def _marked(self, node: Any, twin: int) -> Any:
        if node["type"] == "logical":
            return {**node, "conditions": [self._marked(one, twin) for one in node["conditions"]]}
        if node["type"] == "direct":
            subject = {"type": "", "id": _slot(node["node"])}
            groups = [""] if node["groups"] else []
            return {"type": "direct", "resource_type": "", "action": "", "subject": subject, "groups": groups}
        if "instant" in node:
            instant = [*self.instants][node["instant"]]
            rest = {name: one for name, one in node.items() if name not in ("instant", "below")}
            return {**rest, "value": show_instant(marker(instant, node["instant"], twin))}
        if "slots" in node:
            numbers = node["slots"]
            value = [*map(_slot, numbers)] if isinstance(numbers, list) else _slot(numbers)
            return {**{name: one for name, one in node.items() if name != "slots"}, "value": value}
        return node


def _is_plain(constant: Any) -> bool:
    return isinstance(constant, str) and "\0" not in constant and is_text(constant)


def _without_value(node: Any) -> Any:
    return {name: one for name, one in node.items() if name != "value"}


def _slot(number: int) -> Slot:
    made = Slot(f"{MARK}{number}")
    made.number = number
    return made
