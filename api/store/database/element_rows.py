"""The tables of the elements and of their references, for the overlays that shadow them."""

from typing import Final

OWNERS: Final = (
    "extensions",
    "requests",
    "resource_types",
    "roles",
    "groups",
    "subjects",
    "resources",
    "assignments",
    "grants",
    "policies",
    "routes",
    "attributes",
    "lints",
)
"""The tables whose rows have a place."""

PARTS: Final = {
    "group_subjects": ("groups", "group_id"),
    "group_groups": ("groups", "group_id"),
    "policy_roles": ("policies", "policy_id"),
    "policy_types": ("policies", "policy_id"),
    "policy_patterns": ("policies", "policy_id"),
}
"""The tables of references, each with the table and the column of its owner. They go with their owner."""
