"""Requests as they are read: entities, evaluations and searches."""
