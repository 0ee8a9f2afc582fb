"""The export of bundles: signed files, updates, and the long polls that wait for them.

Reading path: `files` → `make` → `making`, `callers_list` → `updates`, `states`, `exporter` → `counts`, `preferences`,
`ranges` → `bundle`.
"""
