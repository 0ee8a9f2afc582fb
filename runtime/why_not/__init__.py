"""The smallest sets of changes that would allow a denied request.

Reading path: `limits` → `units` (what can change, and who can change it) → `sampled_addresses`, `sampled_instants` and
`values` (one value of each class that conditions distinguish) → `asked` (conditions under changes) → `search` →
`shown_sets` → `why_not`.
"""
