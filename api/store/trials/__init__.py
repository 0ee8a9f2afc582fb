"""Trials of writes: `trial_examination` checks the elements first, without the write lock. Then `trial` finds out what
the write would do, in a transaction that is undone.
"""
