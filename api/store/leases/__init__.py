"""Leases of several servers on one database, so that the next request to any server sees a write that was answered.

`CONSISTENCY.md` explains the protocol. Reading path: `lengths` → `holding` → `confirming` → `primary_mark` →
`lease_cell` → `leased_watch` → `lease_tables` → `lease_connection` → `trace` → `succession` → `primary_line` →
`living_servers` → `keeper` → `confirmations` → `database_users` → `taking_over` → `reaching`.
`holding` and `confirming` are the two sides of the protocol: they do no I/O and read no clock.
"""
