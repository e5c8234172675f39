"""Time per label of classifiers in ASReview, on 50 000 synthetic abstracts.

::

    python -m benchmarks.screening

needs ASReview, and writes ``doc/benchmarks/screening.inc``. ASReview runs the loop: it fits the
classifier to all labelled abstracts, ranks all others and asks for the label of the first.
"""

import sys
import time
from functools import partial
from importlib.metadata import version

import numpy as np
import pandas as pd
from asreview import Simulate
from asreview.learner import ActiveLearningCycle
from asreview.models.models import get_ai_config

from .bench.harness import environment
from .bench.measure import ROOT
from .bench.rst import pivot

N_ABSTRACTS, N_WORDS, LENGTH, N_LABELS, SEEDS = 50_000, 50_000, 150, 300, 2
SHARE_RELEVANT, N_TOPIC = 0.01, 60
# The share of words from the topic: relevant abstracts, a tenth of the others, all others.
OF_TOPIC = (0.07, 0.03, 0.0)
CLASSIFIERS = {
    "``svm`` of ASReview": ("svm", {"loss": "squared_hinge", "C": 0.11}),
    "``online-svm``": ("online-svm", {}),
}


def make_abstracts(n, rng):
    """Abstracts of words with Zipf's distribution; 1 % are about the topic, 10 % touch it."""
    p = 1 / (np.arange(N_WORDS) + 10.0)
    lengths = rng.poisson(LENGTH, n)
    words = np.searchsorted(np.cumsum(p / p.sum()), rng.random(lengths.sum()))
    relevant = rng.random(n) < SHARE_RELEVANT
    kind = np.where(relevant, 0, np.where(rng.random(n) < 0.1, 1, 2))
    topic = rng.choice(np.arange(300, 5000), N_TOPIC, replace=False)
    replaced = rng.random(len(words)) < np.repeat(np.take(OF_TOPIC, kind), lengths)
    words[replaced] = rng.choice(topic, replaced.sum())
    names = np.array([f"w{i}" for i in range(N_WORDS)], dtype=object)[words]
    texts = [" ".join(part) for part in np.split(names, np.cumsum(lengths)[:-1])]
    return pd.DataFrame({"title": "", "abstract": texts}), relevant.astype(int)


def cycle_of(classifier, parameters):
    """The default of ASReview with another classifier."""
    settings = get_ai_config()["value"]
    fields = dict(vars(settings), classifier=classifier, classifier_param=parameters)
    return ActiveLearningCycle.from_meta(type(settings)(**fields))


def timed(cycle, method, seconds):
    original = getattr(cycle, method)

    def call(*arguments):
        start = time.perf_counter()
        answer = original(*arguments)
        seconds.append(time.perf_counter() - start)
        return answer

    setattr(cycle, method, call)


def screen(features, y, name, seed, n_labels):
    """Run the loop and return its times, and how many relevant abstracts it found."""
    cycle, fits, ranks = cycle_of(*CLASSIFIERS[name]), [], []
    timed(cycle, "fit", fits)
    timed(cycle, "rank", ranks)
    rng = np.random.default_rng(seed)
    simulation = Simulate(
        features, y, [cycle], stopper=n_labels, skip_transform=True, print_progress=False
    )
    simulation.label([rng.choice(np.flatnonzero(y == label)) for label in (0, 1)])
    simulation.review()
    found = simulation._results["label"].to_numpy()
    # Medians, since other programs may use the machine; "time" is when a label was given.
    return dict(
        total=np.median(np.diff(simulation._results["time"].iloc[2:])),
        fit=np.median(fits),
        last=np.median(fits[-50:]),
        rank=np.median(ranks),
        early=found[: n_labels // 5].sum(),
        found=found.sum(),
    )


def _mean(key, runs):
    return np.mean([run[key] for run in runs])


def _milliseconds(key, runs):
    return f"{1000 * _mean(key, runs):.3g} ms"


def main(quick=False):
    n, n_labels, seeds = (500, 20, 1) if quick else (N_ABSTRACTS, N_LABELS, SEEDS)
    texts, y = make_abstracts(n, np.random.default_rng(0))
    features = cycle_of(*CLASSIFIERS["``online-svm``"]).transform(texts)
    runs = {name: [] for name in CLASSIFIERS}
    for seed in range(seeds):
        for name in CLASSIFIERS:
            runs[name].append(screen(features, y, name, seed, n_labels))
            print(name, runs[name][-1], flush=True)
    rows = {
        "time per label": partial(_milliseconds, "total"),
        "of this ranking": partial(_milliseconds, "rank"),
        "fit": partial(_milliseconds, "fit"),
        "fit, last 50 labels": partial(_milliseconds, "last"),
        f"relevant among the first {n_labels // 5}": lambda runs: f"{_mean('early', runs):.0f}",
        f"relevant among the first {n_labels}": lambda runs: f"{_mean('found', runs):.0f}",
    }
    columns = [(name, lambda row, of=of: rows[row](of)) for name, of in runs.items()]
    table = pivot(rows, [("", str), *columns], "")
    about = environment()
    text = table + (
        f"\n{n} abstracts, {y.sum()} of them relevant, {features.shape[1]} features;"
        f" medians of the times of a run, means of {seeds} runs with other first labels."
        f" {about['date']}; {about['processor']}, one thread;"
        f" asreview {version('asreview')}, scikit-learn {version('scikit-learn')}.\n"
    )
    if not quick:
        (ROOT / "doc" / "benchmarks" / "screening.inc").write_text(text)
    return text


if __name__ == "__main__":
    print(main("--quick" in sys.argv))
