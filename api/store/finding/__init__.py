"""Finds the elements of a model by a part of an id or a name, on every engine alike.

Reading path: `folding` → `element_texts` → `entry_blocks` → `keeping` → `scanning` →
`finding` → `overview` → `finder`.
"""
