"""Peers that several studies have, and parameters that not all models have."""

from sklearn.kernel_approximation import Nystroem
from sklearn.pipeline import make_pipeline


def prepared(model, **params):
    """Return a model, or a pipeline, with those of some parameters that it has."""
    names = {name: name.rpartition("__")[2] for name in model.get_params()}
    return model.set_params(**{k: params[name] for k, name in names.items() if name in params})


def intelex(name, **params):
    """Return an estimator of scikit-learn-intelex."""
    # Only here: it loads oneDAL, and there is not a wheel for each machine.
    from sklearnex import svm

    return getattr(svm, name)(**params)


def on_nystroem(model, n_components=500, **params):
    """Return a model behind an approximated kernel."""
    return make_pipeline(Nystroem(n_components=n_components, **params), model)
