"""A decision (`decide`) and its proof (`explain`).

Reading path: `judge` → `judge_limited` → `validity` → `decide` → `held_roles` → `shown_value` → `proof` → `explain`.
"""
