"""Lowers a checked model to clauses and facts."""
