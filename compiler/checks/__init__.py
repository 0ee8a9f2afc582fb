"""Checks of what a model says: each finds errors of one family, and `table` lists them all.

Reading path: `draft` (what is checked) → `table` → a family each: `duplicates`, `references`, `grants`, `groups`,
`policies`, `constants`, `attribute_types`, `instants`, `time_windows`, `allowlists`.
"""
