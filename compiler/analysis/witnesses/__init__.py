"""Requests that show a difference.

Reading path: `paths` (answers to all questions of a diagram) → `entities` (what a request is about) → `linked` (values
that are compared with each other) → `attributes` (values that fit each other, and the instant) → `witness`, or
`impossible` (the proof that there is no request).
"""
