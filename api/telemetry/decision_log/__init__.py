"""The decision log: a record of each evaluation, batch item and search, written beside the decisions.

Reading path: `decision_ids` → `entry` → `mask_paths` → `masks`, `mask_key` → `record`, or `opa_shape` → `rendering`,
which make records from entries, and `plain_lines` the quickest of them → `decision_log`, which handlers call. `turns`
of the event loop put lines together. `sinks` take them, and `writer` is the thread in between. `metering` counts for
the metrics, and `log_start` reads the settings. `tail` reads the newest records back, and `denials` the denials among
them.
"""
