"""Diagnostics: code, sentence, place and help, and how they are shown.

Reading path: `diagnostic` → `codes` → `findings` → `synonyms` → `show`.
"""
