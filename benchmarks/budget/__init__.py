"""LASVC of a fixed size: on Adult, and on long streams with concept drift."""
