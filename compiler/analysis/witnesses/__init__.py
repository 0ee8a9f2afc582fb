"""Requests that show a difference.

Reading path: `paths` (answers to all questions of a diagram) → `candidates` (values of an attribute), `instants_tried`
and `entities` (what a request is about) → `accepted` (what strict models accept) → `attributes` (values that fit each
other) → `witness`.
"""
