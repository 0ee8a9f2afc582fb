"""Promotions: an environment takes over the policy model of another one, or goes back to an earlier one.

Reading path: `promotion` has the shapes. `policy_changes` → `policy_model` → `differences` → `model_drift`,
`renamed_roles` → `policy_replacement` → `tests_gate` → `records` → `gateway_approvals` → `promotions`, the interface.
"""
