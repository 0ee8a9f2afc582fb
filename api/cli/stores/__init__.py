"""The commands that work on a store, one module each. `store_opening` has their shared options and opens the store.

- `import_` and `export`, with `opa_bundle`, read and write models.
- `clients` manages OAuth clients. `key_kinds` tells the keys that `writ keys` and publishers use.
- `audit` prints and verifies the audit log.
- `backup`, with `repeated_backups`, and `restore` copy a store. `copy_store` moves one. `upgrade` changes its format.
- `publish` publishes bundles by `publishing`, and so does `takeover`, which restores first.
"""
