"""Everything outside the decision itself: the HTTP service and the command line.

Reading path: `settings` → `log` → `store` → `http` → `openapi` → `serving` → `credentials` → `management` → `decisions`
→ `errors` → `transport` → `routes` → `app` → `audit_upkeep` → `demo` → `cli`.
"""
