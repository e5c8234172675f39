"""Data sets that several studies use: real ones, generated ones, and streams."""
