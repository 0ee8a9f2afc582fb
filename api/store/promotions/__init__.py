"""Promotions: an environment takes over the policy model of another one, or one of its own earlier ones.

Reading path: `promotion` has the shapes. `policy_changes` → `policy_model` → `differences` → `drift`, `uses`,
`lost_roles` → `takeover` → `records` → `promotions`, the interface.
"""
