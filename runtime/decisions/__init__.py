"""A decision (`decide`) and its proof (`explain`).

Reading path: `judge` → `unmet` → `judge_limited` → `validity` → `decide` → `allowed` → `held_roles` → `shown_value` →
`unsent` → `proof` → `explain` → `registered` → `on_behalf` → `respond` → `many`. `planned` and
`plain_batch` answer ordinary requests in the shortest way.
"""
