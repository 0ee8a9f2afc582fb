"""Renames an element of a model, with every reference to it.

Reading path: `references` says where references are; `renamed` renames in elements; `tokens` writes a name as a
document has it; `documents` edits documents in place. `found_renames` recognises renames in a comparison.
"""
