"""From model documents to a bundle: reading, checking, lowering, rewriting.

Reading path: `model` (the shape) → `source`, `document`, `shape` (reading) → `checks/` and `lints/` → `load` (all of
that in one call) → `check_elements` (the same for elements that are written one by one) → `lower`, `rewrites/`,
`passes` → `resolve_facts` → `compile`.
"""
