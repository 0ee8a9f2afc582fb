"""A server's own reports to its operators: `metrics/`, the log (`log_lines` and `log`), the `bounded_queue` of what a
thread writes, and the decision log (`decision_log/`).
"""
