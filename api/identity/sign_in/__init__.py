"""The sign-in of people: code flow with PKCE at an OpenID provider, and sessions in a cookie (OpenID Connect Core 1.0).

Reading path: `role_rules` → `provider_calls` → `provider` → `id_tokens` → `flows` → `cookies` → `options` → `sessions`.
"""
