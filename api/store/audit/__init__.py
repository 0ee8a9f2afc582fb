"""The audit log: a hash chain of entries in the store, whose head is signed by a key outside the store.

Reading path: `events` → `entries` → `seals` → `anchor` → `tampering` → `log_check` → `retention` → `refused_attempts`,
`exports` → `size`, `unsealed` → `audit_log`, the interface.
"""
