"""The decision log: a record of each evaluation, batch item and search, written beside the decisions.

Reading path: `decision_ids` → `entry` → `decision_log`, which handlers call. `mask_paths` → `masks` → `record`, or
`opa_shape` → `rendering` make records from entries, and `plain_lines` the quickest of them, in the `turns` of the event
loop. `sinks` take them, and `writer` is the thread in between. `metering` counts for the metrics, and `log_start` reads
the settings. `tail` reads the newest records back.
"""
