"""Trials of writes: `trial` finds out what a write would do, on a snapshot of the store."""
