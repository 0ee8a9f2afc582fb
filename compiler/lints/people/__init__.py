"""Lints that look at roles, groups, assignments and grants: who holds what, by which ways, and until when.

Reading path: `role_holders` → the lints: `role_without_holder`, `group_cycle`, `repeated_authority`, `expired`,
`role_as_subject`, `near_subject`, `no_holder_left`.
"""
