"""Commands that work on a store, one module each; `opening` has what they share."""
