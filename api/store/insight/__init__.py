"""Answers the questions of tools about an environment.

Reading path: `element_counts` → `subject_holdings` → `element_graph` → `insight`, the interface.
"""
