"""From model documents to a bundle: reading, checking, lowering, rewriting.

Reading path: `model` (the shape) → `source`, `document`, `shape` (reading) → `checks/` and `lints/` → `load` (all of
that in one call) → `lower`, `rewrites/`, `passes` → `resolve_facts` → `compile`.
"""
