"""Finds the route of a request to a backend, and refuses paths that a backend could read in another way.

Reading path: `target` → `route_table` → `routed`.
"""
