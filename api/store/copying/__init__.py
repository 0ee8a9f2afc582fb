"""A copy of a whole store into an empty one, whichever engine has each: history, audit log, credentials, revisions.

Reading path: `places` → `rows` → `store_copy`.
"""
