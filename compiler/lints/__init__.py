"""Lints: what a model may say and hardly can mean, each a warning.

Reading path: `prepared_policy` (a policy, prepared for comparing) → `overlap` (whether two can hold together) →
`overlap_candidates` (which pairs to compare at all) → `grant_index` (the same for direct grants) → `table` → a lint
each: `deny_priority`, `escapable_deny`, `empty_list`, `allow_everyone`, `rate_limit_uncounted`.
"""
