"""The endpoints of decisions.

Reading path: `evaluation`, then `evaluations` with the pure `batch`, then `searches`. `discovery` and `health` tell
clients and operators about the service. `decision_shapes` describes requests and answers.
"""
