"""Hides pandas, which the tests need and a service has not: sqlite-utils imports it where it is, for half a second."""

raise ImportError("hidden: the service has no use for it")
