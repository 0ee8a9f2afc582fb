"""Credentials: clients, API keys, replaced secrets, revoked tokens, the recheck, and those that a restore brings back.

Reading path: `credentials` → `credential_states` → `old_secrets` → `last_uses` → `credential_recheck` → `admitted` →
`makers` → `restored_credentials`.
"""
