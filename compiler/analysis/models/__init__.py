"""The two models of an analysis: their rules, their subjects and what these hold.

Reading path: `sides` → `model_side` and `bundle_side` (how a side is made) → `people` → `grants` →
`reach` (to whom some ALLOW applies).
"""
