"""Finds who can do an action on a resource, where a part of the request is not known yet.

Reading path: `question` (what is known) → `known_values` (conditions under known values) → `who_can`.
"""
