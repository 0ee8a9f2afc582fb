"""What each gateway sends when it asks: one module for each. `contract` has what they share."""
