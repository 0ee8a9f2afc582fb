"""The model: the classes of its elements, generated ids, and the normal form, from which digests are computed.

Reading path: `elements` → `presence`, `declared` → `always_sent` → `generated_ids` → `parse_window` → `normal_form` →
`joined_attributes` → `single_members` → `same_element` → `source_digest`.
"""
