"""The elements of a stored model: their tables, the edits of them, and the checks of every edit.

Reading path: `kinds` → `element_bodies` → `tables` → `edits` → `workspace` → `element_references` → `declarations` →
`nesting` → `pattern_sizes` → `checking` → `equal_facts` → `grant_sets` → `unnamed_subjects` → `route_order` →
`applying`.
"""
