"""Reference implementations of the algorithms in plain NumPy."""
