"""The lints of routes: those that never count, whose order decides, or whose texts and marks do nothing.

Reading path: `prepared_route` (a route, prepared for comparing) → `route_overlap` (which routes match a common path) →
the lints, `ambiguous_routes`, `unreachable_route`, `route_text` and `idle_anonymous`.
"""
