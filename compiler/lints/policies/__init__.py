"""Lints that compare the meaning of policies: which can never hold, change nothing, or switch others off.

Reading path: `implication` (one policy holds whenever another does) → `cover_index` (which policies to compare) → the
lints: `never_holds`, `redundant_policy`, `dead_allow`, `idle_deny`, `wide_allow`, `unused_names`, `absent_reference`,
`odd_window`, `any_address`, `repeated_part`.
"""
