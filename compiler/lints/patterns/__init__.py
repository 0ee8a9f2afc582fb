"""The lint of patterns: those that match more or less than their author probably meant (C6).

Reading path: `pattern_parts` (a pattern in parts) → `pattern_slips` (what is odd about one) → the lint, `odd_pattern`.
"""
