"""Choosing parameters in one pass: ProgressiveSearch beside searches that fit again and again."""
