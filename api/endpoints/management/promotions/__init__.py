"""The endpoints of promotions: list and ask, preview, approve and reject, restore, drift.

Reading path: `promotion_shapes` → `promotion_job` → `promotion_people` → `promotion_answers` →
`promotions`, `one_promotion`, `restoration`.
"""
