"""The endpoints of credentials: API keys and OAuth clients. `managed_credentials` has what they share."""
