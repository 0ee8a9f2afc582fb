"""Calls of other servers: `bounded_exchange` ends each in its whole time."""
