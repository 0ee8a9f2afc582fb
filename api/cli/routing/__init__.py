"""The commands on routes.

Reading path: `match_route` → `openapi_routes` → `import_routes` → `routes`.
"""
