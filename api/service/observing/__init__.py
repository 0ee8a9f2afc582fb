"""The access log, and OpenTelemetry's traces and metrics, of the requests that were answered.

Both are off by default. Then nothing here stands on the way of a request.

Reading path: `answered` → `access_log`, `decision_counts` and `telemetry` → `answered_queue` → `application`,
`observed_lane` and `checks` → `observer_start`.
"""
