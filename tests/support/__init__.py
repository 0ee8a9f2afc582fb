"""The parts that tests share: the oracle, and the strategies that make hostile models and requests."""
