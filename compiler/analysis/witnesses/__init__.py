"""Requests that show a difference.

Reading path: `paths` (answers to all questions of a diagram) → `candidates` (values of an attribute), `instants_tried`
and `entities` (what a request is about) → `accepted` (what strict models accept) → `linked` (values that are compared
with each other) → `attributes` (values that fit each other, and the instant) → `witness`.
"""
