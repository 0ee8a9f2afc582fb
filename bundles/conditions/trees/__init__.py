"""Filter trees in canonical form: one form for each meaning, derived through decision diagrams (F6).

Reading path: `tree` → `domain` → `diagrams` → `rule_diagram` → `value_sets` → `shortest_form` → `plain_form` →
`canonical`.
"""
