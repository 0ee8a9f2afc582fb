"""Counts evaluations for rate limits, apart from the engine (C10).

Reading path: `counter_words` → `server_share` → `rate_table` → `counted_once`. `counted` says which evaluations are
counted together.
"""
