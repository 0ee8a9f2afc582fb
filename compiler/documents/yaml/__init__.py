"""YAML documents: PyYAML's nodes with the core schema of YAML 1.2, and faults in the words of a policy author.

Reading path: `scalars` → `syntax_faults` → `composer` → `document`.
"""
