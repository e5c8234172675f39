"""Learning curves with good, partial and wrong advice, and without advice."""
