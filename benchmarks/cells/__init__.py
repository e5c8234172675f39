"""Cells compared with one model for all samples."""
