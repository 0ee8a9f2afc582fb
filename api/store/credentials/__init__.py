"""Credentials: clients, API keys and revoked tokens, the recheck of a credential, and those that a restore brings back.

Reading path: `credentials` → `last_uses` → `credential_recheck` → `admitted` → `makers` → `restored_credentials`.
"""
