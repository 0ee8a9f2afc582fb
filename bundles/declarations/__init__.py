"""The declared attributes: their kinds and values, and the section of a bundle that has them (C12, E8).

Reading path: `kinds` → `declarations`.
"""
