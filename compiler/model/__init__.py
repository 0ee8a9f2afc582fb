"""The model: the classes of its elements, generated ids, and the normal form, from which digests are computed.

Reading path: `elements` → `generated_ids` → `joined_attributes` → `parse_window` → `normal_form` → `same_element` →
`source_digest`.
"""
