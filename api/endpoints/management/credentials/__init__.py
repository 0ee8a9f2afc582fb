"""The endpoints of credentials: `clients` and `api_keys`. `managed_credentials` has the parts that they share."""
