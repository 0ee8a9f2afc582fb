"""Lowers a checked model to clauses and facts: `lower` (policies) → `lower_routes` → `resolve_facts`."""
