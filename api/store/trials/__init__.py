"""Trials of writes: `trial` finds out what a write would do, in a transaction that is undone."""
