"""The token endpoints: `endpoints` issues and revokes tokens, `metadata` describes them, and `token_operations` has the
OpenAPI operations.
"""
