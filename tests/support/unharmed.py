"""Models given invalid input compared with models that were not."""

import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import issparse
from sklearn.base import is_regressor


class UnharmedModel:
    """Two models fitted alike, of which only the first is given invalid input: they stay the same.

    A subclass says how the models are made, and by which attributes they are compared.
    """

    attributes = ()

    def __init__(self, make, X, y):
        self.X, self.y = X, y
        self.model, self.other = (make().fit(X, y) for _ in range(2))
        self.raised = None

    def learnt(self, model):
        return {name: as_array(getattr(model, name)) for name in self.attributes}

    def check(self):
        predict = "predict" if is_regressor(self.model) else "decision_function"
        ours, theirs = (getattr(m, predict)(self.X) for m in (self.model, self.other))
        assert_array_equal(ours, theirs)
        ours, theirs = (self.learnt(m) for m in (self.model, self.other))
        assert ours.keys() == theirs.keys()
        for name in theirs:
            assert_array_equal(ours[name], theirs[name], err_msg=name)
        assert set(vars(self.model)) == set(vars(self.other))

    def raises(self, error, match, action):
        params = self.model.get_params()
        with pytest.raises(error, match=match) as self.raised:
            action(self.model)
        assert self.model.get_params() == params
        self.check()

    def refuses(self, error, match, X=None, y=None, methods=("fit", "partial_fit"), **kwargs):
        """Check that fit and partial_fit reject the input, and that training can continue."""
        X = self.X if X is None else X
        y = self.y if y is None else y
        for method in set(methods) & set(dir(self.model)):
            self.raises(error, match, lambda m, f=method: getattr(m, f)(X, y, **kwargs))
        self.learn()

    def learn(self):
        if not hasattr(self.model, "partial_fit"):
            return
        for model in (self.model, self.other):
            model.partial_fit(self.X[:50], self.y[:50])
        self.check()


def as_array(value):
    return value.toarray() if issparse(value) else value
