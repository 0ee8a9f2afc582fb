"""Authentication of callers: the guard, API keys, access tokens, signing keys, and refused attempts.

Reading path: `credential_shapes` and `secret_format` → `credential` → `guard` → `known_credentials` and
`recent_headers` → `uses` → `failed_attempts` and `refused_attempts` → `request_actor`. `keys/` has the signing keys,
`tokens/` the access tokens.
"""
