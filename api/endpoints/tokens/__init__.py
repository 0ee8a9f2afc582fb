"""The token endpoints: issue, revoke, and the metadata of both."""
