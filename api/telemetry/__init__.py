"""A server's own reports to its operators: `metrics/`, the log (`log_lines` and `log`) and the decision log
(`decision_log/`).
"""
