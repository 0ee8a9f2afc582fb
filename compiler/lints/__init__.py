"""Lints warn about parts of a model that are legal, but probably a mistake.

Reading path: `opposed_references` → `prepared_policy` (a policy, prepared for comparing) → `overlap` (whether two
policies can hold together) → `overlap_candidates` (which ALLOW policies to compare with a DENY) → `grant_index` (the
same for direct grants) → the lints `deny_priority`, `escapable_deny`, `empty_list`, `allow_everyone`, `open_instant`,
and those in `declarations`, `policies`, `people`, `constants`, `patterns` and `routes` → `silencing` (what a model
silences) → `all_lints`.
"""
