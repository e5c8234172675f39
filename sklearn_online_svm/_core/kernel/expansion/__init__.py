"""Kernel expansions of the update loop, with budgets."""
