"""The inner loops, compiled once per instruction set; see ``primitives.h``."""
