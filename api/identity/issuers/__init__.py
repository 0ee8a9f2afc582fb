"""Issuers of other tokens than Writ's: their public keys, and whether a token is theirs.

Reading path: `key_sets` → `user_tokens`.
"""
