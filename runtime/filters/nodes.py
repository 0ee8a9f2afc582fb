"""Filter trees on the wire: forms as nodes of the contract's shape (contract 2.7, rules F4 to F6)."""

from typing import Any, TypeAlias

from ...bundles.conditions.trees.tree import OTHER, Compared, Form, Joined, negated

Tree: TypeAlias = dict[str, Any]
"""A `field`, `logical` or `const` node."""


def tree_of(form: Form) -> Tree:
    """The tree of a form. Children that are all negated are joined first and negated once, as a DENY reads."""
    if isinstance(form, Compared):
        node = {"type": "field", "field": form.key, "operator": str(form.op), "value": form.value}
        return node if form.holds else _logical("not", [node])
    if not form.children:
        return {"type": "const", "value": form.operator == "and"}
    if all(isinstance(child, Compared) and not child.holds for child in form.children):
        return _logical("not", [tree_of(Joined(OTHER[form.operator], tuple(map(negated, form.children))))])
    return _logical(form.operator, [tree_of(child) for child in form.children])


def _logical(operator: str, conditions: list[Tree]) -> Tree:
    return {"type": "logical", "operator": operator, "conditions": conditions}
