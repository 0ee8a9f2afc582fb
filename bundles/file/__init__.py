"""The bundle file: its sections, the tables in them, and how they are written, read and verified.

Reading path: `format` → `section_writer` → `bucket_directory` → `record_list` and `bucket_table` → `fact_codec` and
`rule_codec` → `section_contents` → `writer` → `reader` → `verify`.
"""
