"""Lowers a checked model to what a bundle has.

Reading path: `lower_declarations` → `lower` (policies) → `lower_needs` → `lower_routes` → `resolve_facts`.
"""
