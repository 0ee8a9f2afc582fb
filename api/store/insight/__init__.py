"""Answers the questions of tools about an environment.

Reading path: `counts` → `holdings` → `insight`, the interface.
"""
