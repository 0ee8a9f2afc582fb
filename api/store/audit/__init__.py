"""The audit log: a hash chain of entries in the store, whose head is signed by a key that the store does not have.

Read `entries` first, then `seals` and `check`; `log` is the front door.
"""
