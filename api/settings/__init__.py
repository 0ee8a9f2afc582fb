"""The settings: the one table of `WRIT_` variables, and how their texts are read.

Reading path: `written_instants` and `durations` → `setting_readers` → `settings`, `model_limits`.
"""
