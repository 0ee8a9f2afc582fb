"""The keys that sign access tokens and seal the audit log (contract 4.1, 5).

Reading path: `signing_keys` → `files` → `folder` → `sources` → `ring`.
"""
