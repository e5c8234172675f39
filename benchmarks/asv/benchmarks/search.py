"""A search over parameters: successive halving of 16 candidates."""

from sklearn_online_svm import LASVC
from sklearn_online_svm.model_selection import ProgressiveSearch

from .estimators import samples

GRID = {"C": [0.1, 1.0, 10.0, 100.0], "gamma": [0.01, 0.03, 0.1, 0.3]}


class Search:
    rounds, repeat = 1, (2, 5, 10.0)

    def setup(self):
        self.X, self.y = samples(4000)

    def time_progressive_search(self):
        ProgressiveSearch(LASVC(random_state=0), GRID, random_state=0).fit(self.X, self.y)
