"""Calls of other servers.

Reading path: `in_time` (a call is given up at its deadline) → `bounded_exchange` (an exchange over HTTP, which is cut
then).
"""
