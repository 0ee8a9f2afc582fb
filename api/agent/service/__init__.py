"""The agent's HTTP service: decisions from what a follower keeps in force, without a store.

Reading path: `engines` → `revisions`, `callers_file` → `callers` → `searches`, `readiness`, `browsers` → `app`.
"""
