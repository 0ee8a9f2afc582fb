"""Filter trees, and the canonical tree of a condition, which is derived through decision diagrams (F6).

Reading path: `tree` → `normalise` → `domain` → `diagrams` → `rule_diagram` → `value_sets` → `minimise` → `separable` →
`canonical` → `same_meaning`.
"""
