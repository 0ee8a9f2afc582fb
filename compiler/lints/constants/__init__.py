"""Lints that look at the keys and constants of conditions: those that probably mean something else.

The lints are `looks_like_reference`, `odd_constant`, `absent_attribute`, `list_element`, `plain_gate`, `text_instant`,
`extreme_bound` and `confusable`.
"""
