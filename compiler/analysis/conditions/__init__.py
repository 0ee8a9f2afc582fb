"""Conditions as sets of values of variables.

Reading path: `relations` (of an attribute with a reference) → `variables` → `lines` (the partition of a special
variable) → `translate` (conditions of policies).
"""
