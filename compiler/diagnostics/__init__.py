"""Diagnostics of model documents: their codes, places and help, and how they are shown.

Reading path: `diagnostic` → `codes` → `findings` → `synonyms` and `zone_names` → `show`.
"""
