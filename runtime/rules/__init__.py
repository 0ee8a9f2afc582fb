"""Rules that are ready to be tested: conditions as closures, specialised for a set of roles, a type and an action.

Reading path: `foreign_values` → `attributes` → `indexable` → `conditions` → `reasons` → `rule` → `attribute_index` →
`rank_rules` → `plan` → `role_set` → `specialise`.
"""
