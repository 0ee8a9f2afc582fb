"""The facts and rules of one revision: a bundle, with the changes of later deltas in persistent maps.

Reading path: `state` → `numbering` → `overlay` → `apply_deltas`, `held_grants`.
"""
