"""The keys that sign access tokens and bundles, and seal the audit log (contract 4.1, 4.5, 5).

Reading path: `signing_keys` → `key_files` → `folder` → `sources` → `ring` → `bundle_keys` → `held_keys` →
`agreement`. The last two are for several servers on one database.
"""
