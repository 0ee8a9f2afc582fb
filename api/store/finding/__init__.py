"""Lists the elements of a model in several orders, and finds them by a part of a name, on every engine alike.

Reading path: `orders` → `listing` → `folding` → `element_texts` → `entry_blocks` → `keeping` →
`scanning` → `named_subjects` → `finding` → `overview` → `finder`.
"""
