"""Checks of what conditions compare with.

Reading path: `compared_values` (a constant or a reference) → `constants` → `pattern_sizes`.
"""
