"""Who calls: the guard of every request, API keys, access tokens, their keys, and refused attempts.

Reading path: `credential_shapes` and `secret_format` → `credential` → `guard` → `known_credentials` and
`recent_headers` → `failed_attempts` and `refused_attempts` → `request_actor`. `keys/` has the keys that sign, `tokens/`
the tokens.
"""
