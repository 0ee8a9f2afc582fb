"""The feed of an edge agent: signed updates of a bundle, the callers it admits, and the index of a published folder.

Reading path: `position` → `times` → `update` → `callers` → `index`. `../README.md` describes the formats.
"""
