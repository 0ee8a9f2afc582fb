"""Conditions as sets of values of variables.

Reading path: `variables` → `lines` (the partition of a special variable) → `translate` (conditions of policies).
"""
