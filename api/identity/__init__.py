"""Authentication of callers: the guard, API keys, access tokens, signing keys, and refused attempts.

Reading path: `credential_shapes` and `secret_format` → `admin_key` → `admin_access` → `uses` → `failed_attempts` and
`attempt_counts` → `keys` (the signing keys) → `credential` → `admin_keys` → `guard` → `noting_guard` →
`recent_headers` → `request_actor` → `known_credentials` → `tokens` (the access tokens) → `issuers` (tokens of others)
→ `sign_in` (people).
"""
