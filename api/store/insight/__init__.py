"""Answers the questions of tools about an environment.

Reading path: `element_counts` → `holdings` → `insight`, the interface.
"""
