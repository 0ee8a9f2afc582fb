"""OAuth 2.0 access tokens: issue, verification and revocation (contract 4.1, 5, 7.1).

Reading path: `forms` → `token_claims` → `access_tokens` → `upstream_tokens`.
"""
