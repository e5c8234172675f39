"""Analysis of solutions: leave-one-out values, probabilities, paths, compression."""
