"""Lints that look at the keys and constants of conditions: those that probably mean something else.

The lints are `looks_like_reference`, `odd_constant` and `absent_attribute`.
"""
