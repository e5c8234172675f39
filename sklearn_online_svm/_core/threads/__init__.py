"""Threads that share the loops of one problem."""
