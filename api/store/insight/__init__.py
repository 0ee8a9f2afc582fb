"""Answers the questions of tools about an environment.

Reading path: `element_counts` → `attention` → `subject_holdings` → `element_names` →
`element_graph` → `insight`, the interface.
"""
