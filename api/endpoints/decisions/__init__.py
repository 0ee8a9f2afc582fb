"""The endpoints of decisions.

Reading path: `evaluation`, then `evaluations` with the pure `batch`, then `authorize`, the short form, and `searches`.
`lane` answers ordinary calls without the HTTP application, by `admissions` and `lane_answers`. `deciding` and `slices`
keep long work off the event loop, and `shared_rates` counts for rate limits. `discovery`, `draining` and `health` tell
clients and operators about the service. `decision_shapes` describes requests and answers.
"""
