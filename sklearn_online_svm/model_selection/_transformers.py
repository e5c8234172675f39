"""Transformers of a pipeline, each fitted once for a training set and shared by candidates."""

from numbers import Number

from sklearn.base import clone
from sklearn.pipeline import Pipeline


class Step:
    """A transformer of a pipeline, behind those before it (``parent``).

    Candidates whose parameters are equal up to this transformer share it.
    """

    def __init__(self, name, transformer, parent):
        self.name, self.transformer, self.parent = name, transformer, parent


def last_step(estimator, params, shared):
    """Return the last transformer of a pipeline as a :class:`Step`, None if there is none.

    ``estimator``: with ``params`` set. ``shared``: the steps of the candidates before; those with
    the same parameters are used again.
    """
    if not isinstance(estimator, Pipeline):
        return None
    names, parent, key = [name for name, _ in estimator.steps], None, ()
    # Parameters of the pipeline itself, such as ``steps``, concern all its steps.
    key = tuple(
        (name, key_of(value))
        for name, value in sorted(params.items())
        if name.partition("__")[0] not in names
    )
    for name, transformer in estimator.steps[:-1]:
        own = tuple(
            (other, key_of(value))
            for other, value in sorted(params.items())
            if other.partition("__")[0] == name
        )
        key = (*key, (name, own))
        if key not in shared:
            shared[key] = Step(name, transformer, parent)
        parent = shared[key]
    return parent


def key_of(value):
    """Return a key that is equal for equal values of a parameter, as far as that can be told."""
    is_plain = value is None or isinstance(value, (str, Number))
    return (type(value), value) if is_plain else _Same(value)


class _Same:
    """Key of a value that equals itself alone, also after it has been pickled."""

    def __init__(self, value):
        self.value = value

    def __hash__(self):
        return id(self.value)

    def __eq__(self, other):
        return isinstance(other, _Same) and self.value is other.value


class FittedSteps:
    """Steps that are fitted on the samples of one training set."""

    def __init__(self):
        self._fitted = {}

    @classmethod
    def of_candidate(cls, candidate):
        """Return the fitted transformers of a candidate."""
        fitted, step = cls(), candidate.step
        for _, transformer in reversed(candidate.transformers):
            fitted._fitted[step] = transformer
            step = step.parent
        return fitted

    def copy(self):
        """Return a copy, to which further steps can be fitted."""
        other = FittedSteps()
        other._fitted.update(self._fitted)
        return other

    def __contains__(self, step):
        return step in self._fitted

    def fit_transform(self, step, X, y):
        """Fit one step to the output of the step before, and transform that."""
        if _is_passthrough(step):
            self._fitted[step] = step.transformer
            return X
        fitted = clone(step.transformer)
        # Cross-fitting transformers, such as TargetEncoder, treat training samples differently.
        if hasattr(fitted, "fit_transform"):
            X = fitted.fit_transform(X, y)
        else:
            X = fitted.fit(X, y).transform(X)
        self._fitted[step] = fitted
        return X

    def transform_one(self, step, X):
        """Transform the output of the step before."""
        return X if _is_passthrough(step) else self._fitted[step].transform(X)

    def fit(self, step, X, y):
        """Fit all steps up to this one that have not been fitted."""
        self._reached(step, X, y)
        return self

    def _reached(self, step, X, y):
        if step is None:
            return X
        X = self._reached(step.parent, X, y)
        return self.transform_one(step, X) if step in self else self.fit_transform(step, X, y)

    def transform(self, step, X):
        """Transform X by all steps up to this one."""
        return X if step is None else self.transform_one(step, self.transform(step.parent, X))

    def of_pipeline(self, step):
        """Return the names and the fitted transformers up to this step, as a pipeline has them."""
        return [] if step is None else [
            *self.of_pipeline(step.parent), (step.name, self._fitted[step])
        ]  # fmt: skip


def _is_passthrough(step):
    return step.transformer is None or step.transformer == "passthrough"
