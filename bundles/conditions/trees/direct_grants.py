"""The direct grants of a subject as one variable of a filter: a translation replaces it by the caller's condition (F8).

In rules and in canonical trees, it is a comparison of a special key with true, so that diagrams treat it as any other
attribute.
"""

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, TypeAlias

from ..operators import Operator
from .instant_comparisons import InstantComparison
from .tree import And, FilterTree, Not, Or, Tree, TreeComparison, with_leaves

_MARK: Final = "\ud800"
"""The first character of the keys that stand for direct grants. A lone surrogate is no text, so no model has it."""


@dataclass(frozen=True)
class DirectGrants:
    """The condition that a subject, or one of its groups, has a grant of an action on the row (P4, P7).

    `resource_type` is the type's id. `subject` is its type and its id. `groups` are the ids of all groups that the
    subject is a member of, in order.
    """

    resource_type: str
    action: str
    subject: tuple[str, str]
    groups: tuple[str, ...]

    @cached_property
    def comparison(self) -> tuple[str, Operator, bool]:
        """The comparison that stands for it, as (key, operator, constant)."""
        parts = (self.resource_type, self.action, self.subject, self.groups)
        return _MARK + json.dumps(parts), Operator.EQ, True

    def shown(self) -> dict[str, Any]:
        """Returns the node of a filter, as JSON."""
        type, id = self.subject
        return {
            "type": "direct",
            "resource_type": self.resource_type,
            "action": self.action,
            "subject": {"type": type, "id": id},
            "groups": list(self.groups),
        }


ANY_SUBJECT: Final = DirectGrants("", "", ("", ""), ())
"""The direct grants of any subject, in a tree that subjects share; see `for_subject`."""

FilterLike: TypeAlias = Tree[TreeComparison | InstantComparison | DirectGrants]
"""A filter in which comparisons of instants and direct grants are separate kinds of leaves, as in JSON."""


def direct_grants_in(comparison: TreeComparison) -> DirectGrants | None:
    """Returns the direct grants that a comparison of a canonical tree stands for, or None if it is on an attribute.

    >>> grants = DirectGrants("document", "read", ("user", "alice"), ("eng",))
    >>> direct_grants_in(TreeComparison(*grants.comparison)) == grants
    True
    >>> direct_grants_in(TreeComparison("status", Operator.EQ, "draft"))
    """
    if not comparison.key.startswith(_MARK):
        return None
    resource_type, action, (type, id), groups = json.loads(comparison.key[1:])
    return DirectGrants(resource_type, action, (type, id), tuple(groups))


def for_subject(tree: FilterTree, grants: DirectGrants) -> FilterTree:
    """Returns a canonical tree with the direct grants of one subject in the place of those of any subject."""
    key = ANY_SUBJECT.comparison[0]
    return with_leaves(tree, lambda leaf: TreeComparison(*grants.comparison) if leaf.key == key else leaf)


def with_comparisons(tree: FilterLike) -> FilterTree:
    """Returns a tree that was read, with the comparison that stands for each leaf of another kind."""
    match tree:
        case DirectGrants() | InstantComparison():
            return TreeComparison(*tree.comparison)
        case And(children):
            return And(tuple(map(with_comparisons, children)))
        case Or(children):
            return Or(tuple(map(with_comparisons, children)))
        case Not(child):
            return Not(with_comparisons(child))
        case _:
            return tree
