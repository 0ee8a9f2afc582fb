"""The tables of clients, API keys and tokens, and of the people who sign in."""

from typing import Final

CREDENTIALS: Final = """
CREATE TABLE clients (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, description TEXT,
    scopes TEXT NOT NULL, environments TEXT, token_lifetime INTEGER NOT NULL,
    created TEXT NOT NULL, revoked TEXT, secret BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE api_keys (
    id TEXT PRIMARY KEY, name TEXT NOT NULL,
    scopes TEXT NOT NULL, environments TEXT,
    created TEXT NOT NULL, expires_at TEXT, secret BLOB NOT NULL UNIQUE
) STRICT, WITHOUT ROWID;
CREATE TABLE revoked_tokens (id TEXT PRIMARY KEY, expires INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE credential_generation (number INTEGER NOT NULL) STRICT;
INSERT INTO credential_generation VALUES (1);
CREATE TABLE credential_makers (
    credential TEXT NOT NULL, maker TEXT NOT NULL,
    PRIMARY KEY (credential, maker)
) STRICT, WITHOUT ROWID;
CREATE TABLE credential_uses (
    credential TEXT PRIMARY KEY, used INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
"""
"""The credentials. `secret` is the SHA-256 of a secret, `environments` a JSON list of UUIDs, or NULL if not bound.

- `credential_generation` rises with every change here, so that a worker knows whether its cached credentials are
  current.
- `credential_makers` tells who could know a credential's secret when it was made, as actors.
- `credential_uses` tells when a client or an API key was last used. `credential` is its name as an actor, `used` in
  epoch seconds.
"""

ROTATIONS: Final = """
CREATE TABLE old_secrets (
    secret BLOB PRIMARY KEY, credential TEXT NOT NULL, ends INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX old_secrets_of ON old_secrets (credential);
CREATE TABLE secret_uses (
    secret BLOB PRIMARY KEY, used INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
"""
"""The secrets of clients and API keys that were rotated.

- `old_secrets` are those that a rotation replaced, each with the instant when it ends, in epoch seconds.
- `secret_uses` tells when a secret was last used, the present one or an old one. A token is no use of a secret.
"""

SIGN_INS: Final = """
CREATE TABLE people (
    id TEXT PRIMARY KEY, issuer TEXT NOT NULL, subject TEXT NOT NULL, name TEXT NOT NULL, signed_in INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE sessions (
    id TEXT PRIMARY KEY, person TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE, secret BLOB NOT NULL UNIQUE,
    scopes TEXT NOT NULL, environments TEXT,
    created INTEGER NOT NULL, expires INTEGER NOT NULL, used INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_of_person ON sessions (person, created);
CREATE TABLE used_sign_ins (id BLOB PRIMARY KEY, expires INTEGER NOT NULL) STRICT, WITHOUT ROWID;
"""
"""The people who signed in at the provider, and their sessions. All times are in epoch seconds.

- `id` of a person is made of the `issuer` and its `subject`. `name` is from the newest sign-in. `signed_in` is when the
  provider issued its ID token.
- `secret` of a session is the SHA-256 of what its cookie has. `scopes` and `environments` are as in `clients`, by
  the newest sign-in of the person.
- `used_sign_ins` has each sign-in that the provider confirmed, until it would be too old anyway: each counts once.
"""
