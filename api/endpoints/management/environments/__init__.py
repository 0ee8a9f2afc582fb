"""The endpoints of environments and of their settings."""
