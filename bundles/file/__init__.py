"""The bundle file: its sections, and how they are written, read and verified. `bundles/README.md` describes the format.

Reading path: `header` → `offsets` → `record_list` and `bucket_table` → `fact_records`, `clause_codec` and
`rule_index` → `sections` (the table of all sections) → `section_contents` → `writer` → `verify` → `reader` →
`in_memory`.
"""
