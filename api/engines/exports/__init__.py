"""The export of bundles: signed files, updates, and the long polls that wait for them.

Reading path: `export_files` → `make` → `making`, `callers_list` → `updates`, `states`, `exporter` → `export_counts`,
`long_updates`, `preferences`, `ranges` → `bundle`.
"""
