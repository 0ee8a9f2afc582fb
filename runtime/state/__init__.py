"""The facts and rules of one revision: a bundle, with the changes of later deltas in persistent maps."""
