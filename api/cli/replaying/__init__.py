"""`writ replay`: `sharing` uses all cores for the work of `api/replaying`, `masked_log` hashes a model,
and `replay` tells.
"""
