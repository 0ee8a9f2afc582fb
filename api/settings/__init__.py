"""The settings: the one table of `WRIT_` variables, and how their texts are read.

Reading path: `written_instants` and `durations` → `setting_readers` → `setting_rows` → `store_url` →
`store_settings`, `sign_in_settings`, `decision_log_settings` → `settings`, `model_limits`.
"""
