"""Label noise and chapter 6 of the thesis: algorithms with a ramp."""
