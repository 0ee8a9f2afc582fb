"""OAuth 2.0: access tokens for clients, and the keys that sign them (contract 4.1, 5, 7.1).

Reading path: `signing_keys` knows keys, `key_sources` where they lie, `key_ring` keeps those of a process;
`access_tokens` makes and verifies tokens; `forms` reads requests, `endpoints` and `metadata` answer them.
"""

from typing import Final

ALGORITHMS: Final = ("EdDSA", "ES256", "RS256")
"""That a token may be signed with (RFC 7518, 3.1; RFC 8037, 3.1); the first is the default."""
