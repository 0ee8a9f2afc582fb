"""Rewrites of the program: `drop_repeated_conditions` → `sort_clauses`. Each gives a program with the same meaning."""
