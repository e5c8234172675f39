"""Learning from few labels: the tables of Lu, Zhao and Hoi (2016)."""
