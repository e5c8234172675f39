"""Plain NumPy twins of the algorithms: slow, clear, and the oracle of the tests."""
