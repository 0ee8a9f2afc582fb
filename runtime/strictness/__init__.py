"""Strict requests: finds types, actions, attributes, values and members that a model does not declare (E8).

Reading path: `known_members` (the members of a request) → `attribute_checks` (the attributes of one entity) →
`strict_requests` (a whole request).
"""
