"""The dual loop: problems, solvers, support sets, optimization, solutions."""
