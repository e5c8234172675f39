"""A metric of tables, learned for a kernel."""
