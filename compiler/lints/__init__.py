"""Lints: what a model may say and hardly can mean, each a warning.

Reading path: `reach` (a policy, prepared for comparing) → `overlap` (whether two can hold together) → `rivals` (which
pairs to compare at all) → `granted` (the same for direct grants) → `table` → a lint each: `deny_priority`,
`escapable_deny`, `empty_list`, `allow_everyone`, `rate_limit_uncounted`.
"""
