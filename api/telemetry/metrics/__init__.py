"""Counts what a server does: a table in memory that all its workers share, and its text for Prometheus.

Reading path: `metric` → `machine_metrics` → `definitions` (the table of metrics: a new metric is a new row) →
`counter_layout` → `blocks` → `last_hour` → `counter_table` → `counts` (what everything that counts calls) → `requests`
→ `exposition` → `page_table`.
`dashboard.json` is for Grafana, and `alerts.yaml` for Prometheus.
"""
