"""The endpoints of environments (`environments`) and of their settings for gateways (`gateway`)."""
