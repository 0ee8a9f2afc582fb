"""What a server tells operators of its work: metrics, the decision log and log lines."""
