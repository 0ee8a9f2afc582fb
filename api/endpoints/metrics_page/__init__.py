"""`/metrics`: the figures for Prometheus, with a credential or on a separate address.

Reading path: `worker_gauges` (what each worker measures every second) → `metrics_answering` → `metrics_page` →
`open_address`. `store_readings` reads what the store tells, and `machine_readings` the disk, the certificates and, by
`process_readings`, the processes.
"""
