"""What is told of each request that was answered: the access log, and OpenTelemetry's traces and metrics.

Both are off by default. Then nothing here stands on the way of a request.
"""
