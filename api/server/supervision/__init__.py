"""The master process, the parts that live beside the requests, and what the service manager hears.

Reading path: `part` → `notices` → `inherited` → `master`.
"""
