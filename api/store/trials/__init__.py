"""Trials of writes: `trial` finds out what a write would do, on a snapshot of the store. `changed_models` has the whole
model before and after it.
"""
