"""Answers the questions of tools about an environment.

Reading path: `element_counts` → `subject_holdings` → `insight`, the interface.
"""
