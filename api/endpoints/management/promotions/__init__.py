"""The endpoints of promotions: list and ask, preview, approve and reject, restore, drift.

Reading path: `promotion_shapes` → `takeover_job` → `taking_over` → `promotions`, `approvals`, `restoration`,
`drift`.
"""
