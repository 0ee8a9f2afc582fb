"""`writ replay`: `sharing` uses all cores for the work of `api/replaying`, `replay` tells."""
