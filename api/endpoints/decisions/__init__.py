"""The endpoints of decisions.

Reading path: `evaluation`, then `evaluations` with the pure `batch`, then `searches`. `deciding` and `slices` keep long
work off the event loop. `discovery`, `draining` and `health` tell clients and operators about the service.
`decision_shapes` describes requests and answers.
"""
