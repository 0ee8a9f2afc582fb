"""JSON documents: Python's decoder for values, runs of elements that are read together, and the places of values.

Reading path: `json_parts` → `json_cursor` → `json_runs` → `json_document` → `json_places`.
"""
