"""The searches that are compared."""

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV, check_cv

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
        model, begin = LASVC(**_drawn(trial, grid)), 0
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


def _drawn(trial, grid):
    """Parameters between the grid's limits, on a logarithmic scale."""
    return {
        name: trial.suggest_float(name, min(values), max(values), log=True)
        for name, values in grid.items()
    }


def halving_to_the_end(model, grid, X, y, scoring, seed, seconds):
    """Parameters that HalvingGridSearchCV chooses with three folds; the last rung has all samples.

    Four rungs, the first one with a 27th part of the samples, cost about as many fits as our
    search may; `seconds` are not kept. There are fewer rungs if the rarest class would have less
    than ten samples in the first one.
    """
    rarest = np.unique(y, return_counts=True)[1].min() if is_classifier(model) else len(y)
    n_cuts = max((k for k in range(1, 4) if rarest / 3**k >= 10), default=0)
    search = HalvingGridSearchCV(
        model, grid, cv=3, scoring=scoring, min_resources=len(y) // 3**n_cuts, refit=False,
        random_state=seed,
    )  # fmt: skip
    return search.fit(X, y).best_params_


def optuna_within(model, grid, X, y, scoring, seed, seconds):
    """Parameters that Optuna chooses with three folds until the time is over: TPE within the
    grid's limits, median pruning after each fold."""
    import optuna as package

    package.logging.set_verbosity(package.logging.ERROR)
    folds = list(check_cv(3, y, classifier=is_classifier(model)).split(X, y))
    scorer = get_scorer(scoring)

    def objective(trial):
        candidate, scores = clone(model).set_params(**_drawn(trial, grid)), []
        for number, (train, test) in enumerate(folds):
            candidate.fit(X[train], y[train])
            scores.append(scorer(candidate, X[test], y[test]))
            trial.report(np.mean(scores), number)
            if trial.should_prune():
                raise package.TrialPruned
        return np.mean(scores)

    study = package.create_study(
        direction="maximize",
        sampler=package.samplers.TPESampler(seed=seed),
        pruner=package.pruners.MedianPruner(),
    )
    study.optimize(objective, timeout=seconds)
    return study.best_params


PEERS = {"grid": grid, "halving": halving, "optuna": optuna}
# On the tables of `fresh`, within the time that our search took.
WITHIN = {"halving": halving_to_the_end, "optuna": optuna_within}
