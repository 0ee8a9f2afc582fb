"""`/metrics`: what Prometheus asks for, with a credential or on an address of its own.

Reading path: `worker_gauges` (what each worker measures every second) → `answering` → `metrics_page` → `open_address`.
`store_readings` reads what the store tells.
"""
