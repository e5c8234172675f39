"""The searches that are compared."""

import numpy as np
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV

from sklearn_online_svm import LASVC

N_TRIALS = 50
# Held-out part of the samples, for all searches but halving.
HELD_OUT = 0.25
FIRST_RUNG = 120


SEARCHES = {
    "progressive": "progressive",
    "grid": "grid, 5 folds",
    "halving": "halving",
    "optuna": "Optuna",
    "random": "50 random pairs",
}


def rungs_of(n_samples):
    """Numbers of samples, doubling up to all of them."""
    n_doublings = int(np.log2(max(1, n_samples / FIRST_RUNG)))
    return [round(n_samples / 2**k) for k in range(n_doublings, -1, -1)]


def grid(grid, X, y, seed):
    """Parameters that GridSearchCV chooses for LASVC."""
    return GridSearchCV(LASVC(), grid, cv=5, refit=False).fit(X, y).best_params_


def halving(grid, X, y, seed):
    """Parameters that HalvingGridSearchCV chooses for LASVC."""
    search = HalvingGridSearchCV(LASVC(), grid, cv=5, refit=False, random_state=seed)
    return search.fit(X, y).best_params_


def optuna(grid, X, y, seed):
    """Parameters that Optuna chooses for LASVC: TPE within the grid's limits, median pruning.

    A trial is trained and scored at doubling numbers of samples, and may be pruned at each.
    """
    import optuna as package

    package.logging.set_verbosity(package.logging.ERROR)
    n_train = len(y) - int(HELD_OUT * len(y))
    classes = np.unique(y)

    def objective(trial):
        limits = {name: (min(values), max(values)) for name, values in grid.items()}
        params = {
            name: trial.suggest_float(name, low, high, log=True)
            for name, (low, high) in limits.items()
        }
        model, begin = LASVC(**params), 0
        for end in rungs_of(n_train):
            model.partial_fit(X[begin:end], y[begin:end], classes=classes)
            begin = end
            score = model.score(X[n_train:], y[n_train:])
            trial.report(score, end)
            if trial.should_prune():
                raise package.TrialPruned
        return score

    study = package.create_study(
        direction="maximize",
        sampler=package.samplers.TPESampler(seed=seed),
        pruner=package.pruners.MedianPruner(),
    )
    study.optimize(objective, n_trials=N_TRIALS)
    return study.best_params


PEERS = {"grid": grid, "halving": halving, "optuna": optuna}
