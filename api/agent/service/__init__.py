"""The agent's HTTP service: decisions from what a follower keeps in force, without a store.

Reading path: `engines` → `revisions`, `callers_file` → `callers` → `keys_file` → `searches`, `readiness`, `browsers` →
`app` → `start`.
"""
