"""The tests of Writ; the tree mirrors the packages."""
