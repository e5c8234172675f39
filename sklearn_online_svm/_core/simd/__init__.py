"""The inner loops, compiled once per instruction set; see ``leaves.h``."""
