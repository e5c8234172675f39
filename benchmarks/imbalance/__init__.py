"""Imbalanced classes: chapters 4 and 5 of the thesis, and the methods of the guide."""
