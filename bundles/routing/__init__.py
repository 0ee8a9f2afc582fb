"""Routes: which resource and action a request to a backend is about, and how gateways are believed.

Reading path: `hosts` → `templates` → `route` → `typed_values` → `settings` → `routing`, and then `route_tree`.
"""
