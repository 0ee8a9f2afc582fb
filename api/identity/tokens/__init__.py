"""OAuth 2.0 access tokens: issue, verification, revocation and metadata (contract 4.1, 5, 7.1).

Reading path: `access_tokens` → `token_claims` → `forms` → `endpoints` → `metadata`.
"""
