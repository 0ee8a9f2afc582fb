"""Filter trees, and the canonical tree of a condition, which is derived through decision diagrams (F6).

Reading path: `tree` → `instant_comparisons` → `normalise` → `domain` → `diagrams` → `rule_diagram` → `value_sets` →
`minimise` → `separable` → `tree_diagrams` → `canonical` → `direct_grants` → `same_meaning` → `conjunction`.
"""
