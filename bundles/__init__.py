"""The contract between compiler and runtime: the rule program and the file that carries it.

Reading path: `program` (the nodes) → `laws` (what a legal program is) → `program_text` (its text form) →
`conditions/` (what a condition means) → `facts` (subjects, groups, grants, entities) → `file_format` → `directory` →
`record_list` and `bucket_table` → `writer` → `reader` → `verify` → `delta`.
"""
