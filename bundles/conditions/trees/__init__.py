"""Filter trees, and the one canonical tree for each meaning, derived through decision diagrams (F6).

Reading path: `tree` → `normalise` → `domain` → `diagrams` → `rule_diagram` → `value_sets` → `minimise` → `separable` →
`canonical`.
"""
