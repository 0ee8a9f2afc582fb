"""Partial evaluation: the filter that remains of the rules while the resource is unknown (F1 to F7).

Reading path: `referred_values` → `instants_of_rows` → `attribute_reads` → `partial` → `show_tree` → `derive` →
`open_gates` → `filter_cache`.
"""
