"""Advice about what authors of other languages, and of plain English, write first.

Reading path: `meant_attributes` and `meant_numbers`, which readers ask too, then the rules about places: `attributes`,
`comparing`, `timing`, `people`, `gates`, `declaring`, `facts`, `commas`.
"""
