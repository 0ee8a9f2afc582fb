"""One decision, and its proof."""
