"""Reads a filter tree from JSON, once, carefully and within limits (contract 2.7, rules C2 to C6, F5)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, assert_never

from ...bundles.conditions.operators import OPERATORS, ConstantKind, Operator
from ...bundles.conditions.patterns import instructions_of
from ...bundles.conditions.references import takes_now
from ...bundles.conditions.trees.direct_grants import DirectGrants, FilterLike
from ...bundles.conditions.trees.instant_comparisons import INSTANT, InstantComparison, instant_of_text
from ...bundles.conditions.trees.tree import And, Const, Not, Or, TreeComparison
from ...bundles.conditions.values import is_number
from .errors import BadFilter

_OPERATORS: dict[str, Operator] = {str(op): op for op in Operator}

ROOT = "$"
"""The JSON path of the whole tree."""

MEMBERS = {
    "const": {"type", "value"},
    "field": {"type", "field", "operator", "value"},
    "logical": {"type", "operator", "conditions"},
    "direct": {"type", "resource_type", "action", "subject", "groups"},
}


@dataclass(frozen=True, slots=True)
class TreeLimits:
    """The largest size of a tree. `values` counts the elements of all constants together."""

    depth: int = 100
    nodes: int = 10_000
    values: int = 100_000
    constant_depth: int = 32


@dataclass(slots=True)
class _Reader:
    limits: TreeLimits
    spent: dict[str, int] = field(default_factory=lambda: {"nodes": 0, "values": 0})

    def spend(self, what: str, path: str) -> None:
        self.spent[what] += 1
        if self.spent[what] > (limit := getattr(self.limits, what)):
            raise BadFilter(f"the filter has more than {limit} {what}", path)

    def node(self, tree: Any, path: str, depth: int) -> FilterLike:
        self.spend("nodes", path)
        if depth > self.limits.depth:
            raise BadFilter(f"the filter is nested more than {self.limits.depth} deep", path)
        kind = _shape(tree, path)
        if kind == "const":
            if not isinstance(tree["value"], bool):
                raise BadFilter("`value` of a const is true or false", f"{path}.value")
            return Const(tree["value"])
        if kind == "field":
            return self.comparison(tree, path)
        if kind == "direct":
            return self.direct(tree, path)
        return self.logical(tree, path, depth)

    def logical(self, tree: Mapping[str, Any], path: str, depth: int) -> FilterLike:
        op, conditions = tree["operator"], tree["conditions"]
        if op not in ("and", "or", "not"):
            raise BadFilter("`operator` of a logical node is and, or or not", f"{path}.operator")
        if not isinstance(conditions, list) or not conditions or (op == "not" and len(conditions) != 1):
            wanted = "one node" if op == "not" else "one node or more"
            raise BadFilter(f"`conditions` of {op} is a list of {wanted}", f"{path}.conditions")
        children = tuple(
            self.node(child, path_of_child(path, number), depth + 1) for number, child in enumerate(conditions)
        )
        if op == "not":
            return Not(children[0])
        return And(children) if op == "and" else Or(children)

    def direct(self, tree: Mapping[str, Any], path: str) -> DirectGrants:
        subject, groups = tree["subject"], tree["groups"]
        if not isinstance(subject, dict) or subject.keys() != {"type", "id"}:
            raise BadFilter("`subject` of a direct node has exactly the members id, type", f"{path}.subject")
        if not isinstance(groups, list):
            raise BadFilter("`groups` of a direct node is a list", f"{path}.groups")
        for number in range(len(groups)):
            self.spend("values", f"{path}.groups[{number}]")
        texts = (tree["resource_type"], tree["action"], subject["type"], subject["id"], *groups)
        if not all(isinstance(text, str) for text in texts):
            raise BadFilter("the members of a direct node are strings", path)
        return DirectGrants(tree["resource_type"], tree["action"], (subject["type"], subject["id"]), tuple(groups))

    def comparison(self, tree: Mapping[str, Any], path: str) -> TreeComparison | InstantComparison:
        key, op, constant = tree["field"], _operator(tree["operator"]), tree["value"]
        if not isinstance(key, str) or not key:
            raise BadFilter("`field` is a string that is not empty", f"{path}.field")
        if op is None:
            raise BadFilter(f"`operator` of a field node is one of {', '.join(Operator)}", f"{path}.operator")
        at = f"{path}.value"
        if "value_type" in tree:
            self.spend("values", at)
            return _instant_comparison(key, op, tree, path)
        self.check(constant, at, 1)
        _check_fit(op, constant, at)
        return TreeComparison(key, op, constant)

    def check(self, constant: Any, path: str, depth: int) -> None:
        """Refuses a constant that no model may have (C2), and one that is not JSON."""
        self.spend("values", path)
        if depth > self.limits.constant_depth:
            raise BadFilter(f"the constant is nested more than {self.limits.constant_depth} deep", path)
        if constant is None:
            raise BadFilter("a constant holds no null (C2)", path)
        if isinstance(constant, float) and not isfinite(constant):
            raise BadFilter("a number is finite", path)
        if isinstance(constant, list):
            for number, item in enumerate(constant):
                self.check(item, f"{path}[{number}]", depth + 1)
        elif isinstance(constant, dict):
            for name, item in constant.items():
                if not isinstance(name, str):
                    raise BadFilter("names of members are strings", path)
                self.check(item, f"{path}.{name}", depth + 1)
        elif not isinstance(constant, str | int | float):
            raise BadFilter("a constant is a JSON value", path)


def read_tree(tree: Any, limits: TreeLimits | None = None) -> FilterLike:
    """Returns the nodes of a filter that a JSON parser gave. They match the JSON one to one: nothing is simplified.

    Raises BadFilter for anything that is not a filter, or that is over a limit.

    >>> read_tree({"type": "field", "field": "size", "operator": "gt", "value": 3})
    TreeComparison(key='size', op=<Operator.GT: 'gt'>, value=3)
    """
    return _Reader(limits or TreeLimits()).node(tree, ROOT, 1)


def path_of_child(path: str, number: int) -> str:
    """Returns the JSON path of a child of the node at `path`. The child of a Not has the number 0."""
    return f"{path}.conditions[{number}]"


def _shape(tree: Any, path: str) -> str:
    if not isinstance(tree, dict):
        raise BadFilter("a node is an object", path)
    kind = tree.get("type")
    members = MEMBERS.get(kind) if isinstance(kind, str) else None
    if not isinstance(kind, str) or members is None:
        raise BadFilter("`type` is const, direct, field or logical", f"{path}.type")
    optional = {"value_type"} if kind == "field" else set()
    if tree.keys() - optional != members:
        raise BadFilter(f"a {kind} node has exactly the members {', '.join(sorted(members))}", path)
    return kind


def _operator(name: Any) -> Operator | None:
    """Returns the operator of that name, or None if there is none."""
    return _OPERATORS.get(name) if isinstance(name, str) else None


def _instant_comparison(key: str, op: Operator, tree: Mapping[str, Any], path: str) -> InstantComparison:
    """Reads a comparison of instants (X5)."""
    if tree["value_type"] != INSTANT:
        raise BadFilter(f"`value_type` of a field node is {INSTANT}, where it has one", f"{path}.value_type")
    if not takes_now(op):
        raise BadFilter(f"`{op}` does not compare instants", f"{path}.operator")
    instant = instant_of_text(tree["value"])
    if instant is None:
        raise BadFilter("an instant is RFC 3339 with an offset, like `2027-01-31T09:00:00Z`", f"{path}.value")
    return InstantComparison(key, op, instant)


def _check_fit(op: Operator, constant: Any, path: str) -> None:
    """Refuses a constant that the operator does not compare with (C4 to C6)."""
    match kind := OPERATORS[op].constant:
        case ConstantKind.ANY:
            pass
        case ConstantKind.LIST:
            if not isinstance(constant, list):
                raise BadFilter(f"`{op}` compares with a list", path)
        case ConstantKind.ORDERED:
            if not isinstance(constant, str) and not is_number(constant):
                raise BadFilter(f"`{op}` compares with a number or a string", path)
        case ConstantKind.PATTERN:
            _check_pattern(op, constant, path)
        case _:
            assert_never(kind)


def _check_pattern(op: Operator, constant: Any, path: str) -> None:
    if not isinstance(constant, str):
        raise BadFilter(f"`{op}` compares with a pattern", path)
    try:
        instructions_of(constant)
    except ValueError as ex:
        raise BadFilter(str(ex), path) from None
