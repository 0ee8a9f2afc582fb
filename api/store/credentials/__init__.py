"""Clients, API keys and revoked tokens as the store keeps them."""
