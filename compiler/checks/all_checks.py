"""The table of checks, in the order in which they run."""

from collections.abc import Callable, Iterator

from ..diagnostics.diagnostic import Finding
from .allowlists import check_allowlists
from .attribute_types import check_attribute_types
from .both_sides import check_both_sides
from .conditions.compared_values import check_compared_values
from .conditions.constants import check_constants
from .conditions.pattern_sizes import check_pattern_sizes
from .declared_attributes import check_declared_attributes, check_declared_values
from .draft import Draft
from .duplicates import check_duplicates, check_reserved_names, check_type_names
from .equal_facts import check_equal_assignments, check_equal_grants
from .grants import check_grants
from .groups import check_nesting
from .instants import check_instants
from .policies import check_policies
from .references import check_assignments, check_group_members, check_policy_references, check_resource_types
from .routes import check_routes
from .silences import check_silences
from .time_windows import check_time_windows

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
    check_equal_grants,
    check_equal_assignments,
    check_policies,
    check_compared_values,
    check_constants,
    check_pattern_sizes,
    check_declared_attributes,
    check_declared_values,
    check_attribute_types,
    check_both_sides,
    check_instants,
    check_time_windows,
    check_allowlists,
    check_routes,
    check_silences,
)
"""No check depends on another one. Each skips an element that it can't judge because of another fault."""
