"""Rules that are ready to be tested: conditions as closures, specialised for a set of roles, a type and an action.

Reading path: `memberships` → `foreign_values` → `array_elements` → `attributes` → `indexable` → `careful_comparison` →
`references` → `against_now` → `reference_guard` → `conditions` → `reasons` → `rule` → `attribute_index` →
`rank_rules` → `written_plan` → `plan` → `specialise`.
"""
