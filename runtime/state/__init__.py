"""The facts and rules of one revision: those of a bundle, with deltas over them in persistent maps."""
