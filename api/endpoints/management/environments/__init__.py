"""The endpoints of environments (`environments`) and of their settings for gateways (`environment_gateway`)."""
