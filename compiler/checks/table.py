"""The table of checks: everything that makes a model an error, in the order in which it is looked for."""

from collections.abc import Callable, Iterator

from compiler.checks.allowlists import check_allowlists
from compiler.checks.attribute_types import check_attribute_types
from compiler.checks.constants import check_constants
from compiler.checks.draft import Draft
from compiler.checks.duplicates import check_duplicates, check_reserved_names, check_type_names
from compiler.checks.grants import check_grants
from compiler.checks.groups import check_nesting
from compiler.checks.instants import check_instants
from compiler.checks.policies import check_policies
from compiler.checks.references import (
    check_assignments,
    check_group_members,
    check_policy_references,
    check_resource_types,
)
from compiler.checks.time_windows import check_time_windows
from compiler.diagnostics import Finding

CHECKS: tuple[Callable[[Draft], Iterator[Finding]], ...] = (
    check_duplicates,
    check_type_names,
    check_reserved_names,
    check_policy_references,
    check_group_members,
    check_nesting,
    check_assignments,
    check_resource_types,
    check_grants,
    check_policies,
    check_constants,
    check_attribute_types,
    check_instants,
    check_time_windows,
    check_allowlists,
)
"""No check depends on another: each skips what it can't judge."""
