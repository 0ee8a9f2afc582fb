"""OAuth 2.0: access tokens for clients, and the keys that sign them (contract 4.1, 5, 7.1).

Reading path: `signing_keys` knows keys, `key_sources` where they lie (`key_folder` of `key_files`, or where the
operator says), `key_ring` keeps those of a process; `access_tokens` makes and verifies tokens, `token_claims` says what
of one is believed, `key_sealer` makes and verifies seals of the audit log; `forms` reads requests, `endpoints` and
`metadata` answer them.
"""

from typing import Final

ALGORITHMS: Final = ("EdDSA", "ES256", "RS256")
"""That a token may be signed with (RFC 7518, 3.1; RFC 8037, 3.1); the first is the default."""

SIGNING_KEY_VARIABLE: Final = "WRIT_SIGNING_KEY"
AUDIT_KEY_VARIABLE: Final = "WRIT_AUDIT_KEY"
"""Where the operator gives the keys that sign tokens, and the one that signs the audit log."""
