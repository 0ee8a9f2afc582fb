"""Counts evaluations for rate limits, apart from the engine (C10).

Reading path: `words` → `table`. `counted` says which evaluations are counted together.
"""
