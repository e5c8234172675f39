"""LASVC of a fixed size: on Adult, and on long streams whose world changes."""
