"""Checks find the errors of a model. Each module finds errors of one kind, and `all_checks` lists all checks.

Reading path: `draft` (the model that is checked) → `conditions_of` (the conditions of a policy) → the checks:
`duplicates`, `references`, `instants`, `grants`, `equal_facts`, `groups`, `policies`, those in `conditions`,
`declared_attributes`, `attribute_types`, `both_sides`, `time_windows`, `allowlists`, `routes`, `silences` →
`all_checks`.
"""
