"""Whole models: read from documents into the store, replaced, and read back.

Reading path: `submitted_model` → `reading` → `remaining_uses` → `replacing` → `extent` → `model_pairs`,
`stored_errors`.
"""
