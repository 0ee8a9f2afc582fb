"""A decision (`decide`) and its proof (`explain`).

Reading path: `judge` → `lacking` → `judge_limited` → `validity` → `decide` → `held_roles` → `shown_value` → `proof` →
`explain`.
"""
