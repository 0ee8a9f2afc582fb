"""Checks find the errors of a model. Each module finds errors of one kind, and `table` lists all checks.

Reading path: `draft` (the model that is checked) → `table` → the checks: `duplicates`, `references`, `grants`,
`groups`, `policies`, `constants`, `pattern_sizes`, `attribute_types`, `instants`, `time_windows`, `allowlists`.
"""
