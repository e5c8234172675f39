"""
=======================================
Labelling 50 000 texts with 500 labels
=======================================

A collection of 50 000 short texts must be sorted into "relevant" and "not relevant", and a person
can read about 500 of them. Which ones should be read? This tutorial compares a random choice with
margin sampling, which selects the texts about which the current model is least certain.
"""

# %%
# The texts
# =========
#
# The texts are generated: 30 words each, drawn from a vocabulary of 5000 words with frequencies as
# in natural language (Zipf's law). One text in twenty is relevant. Five topics have words of their
# own, and two of the topics are relevant; each text takes a fifth of its words from its topic.
# In addition to the pool of 50 000 texts, 5000 are drawn for the test.

import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.metrics import average_precision_score

from sklearn_online_svm import LASVC
from sklearn_online_svm.active import MarginSampling

N_TEXTS, N_TEST, N_WORDS, VOCABULARY, TOPICS = 50_000, 5000, 30, 5000, 5


def make_texts(n, rng):
    """Return texts as strings of numbered words, and whether they are relevant."""
    frequencies = 1 / np.arange(10, VOCABULARY + 10)
    words = rng.choice(VOCABULARY, size=(n, N_WORDS), p=frequencies / frequencies.sum())
    relevant = rng.random(n) < 0.05
    topics = np.where(relevant, rng.integers(0, 2, n), rng.integers(2, TOPICS, n))
    # The words of topic k are k * 60 + 500, ..., k * 60 + 559.
    own = topics[:, None] * 60 + 500 + rng.integers(0, 60, (n, N_WORDS))
    words = np.where(rng.random((n, N_WORDS)) < 0.2, own, words)
    return [" ".join(f"w{word}" for word in text) for text in words], relevant.astype(int)


texts, y = make_texts(N_TEXTS + N_TEST, np.random.default_rng(0))
print(texts[0])
print(f"{y.mean():.1%} of the texts are relevant")

# %%
# ``HashingVectorizer`` counts the words of each text, without a vocabulary to be stored, and
# normalizes the counts to unit length. The result is a sparse matrix.

start = time.perf_counter()
X = HashingVectorizer(n_features=2**18, alternate_sign=False).transform(texts)
print(f"{X.shape}, {X.nnz / X.shape[0]:.0f} words per text, {time.perf_counter() - start:.1f} s")
X_pool, X_test, y_pool, y_test = X[:N_TEXTS], X[N_TEXTS:], y[:N_TEXTS], y[N_TEXTS:]

# %%
# The loop
# ========
#
# The model starts with five texts of each class, found by a keyword search, for example.
# Then ten texts are selected, labelled, and used for training, until 500 labels are known.
# ``partial_fit`` continues from the current model, so that no model is trained from the beginning.
# :class:`~sklearn_online_svm.active.MarginSampling` draws ``pool_size`` texts at random for each
# query and selects the one with the smallest distance from the decision boundary. 59 texts contain
# one of the most uncertain 5 % of the pool with a probability of 95 %, however large the pool is.
# ``pool_size="all"`` scores every text, and ``pool_size=1`` is the random choice.

BATCH, N_LABELS = 10, 500
WAYS = {"random": 1, "closest of 59": 59, "closest of all": "all"}


def label(pool_size, seed):
    """Return the average precision after each batch, and the time for queries and training."""
    rng = np.random.default_rng(seed)
    first = np.concatenate([rng.choice(np.flatnonzero(y_pool == k), 5, False) for k in (0, 1)])
    unlabelled = np.ones(N_TEXTS, dtype=bool)
    unlabelled[first] = False
    strategy = MarginSampling(pool_size, random_state=seed)
    model = LASVC(kernel="linear", C=10, random_state=0)
    model.partial_fit(X_pool[first], y_pool[first], classes=[0, 1])
    scores, seconds, relevant = [], 0.0, 5
    for _ in range(10, N_LABELS, BATCH):
        start = time.perf_counter()
        chosen = strategy.query(model, X_pool, batch_size=BATCH, candidates=unlabelled)
        model.partial_fit(X_pool[chosen], y_pool[chosen])  # a person would label them here
        seconds += time.perf_counter() - start
        unlabelled[chosen] = False
        relevant += y_pool[chosen].sum()
        scores.append(average_precision_score(y_test, model.decision_function(X_test)))
    return scores, seconds, relevant


SEEDS = range(3)
curves = {}
for name, pool_size in WAYS.items():
    scores, seconds, relevant = zip(*(label(pool_size, seed) for seed in SEEDS), strict=True)
    curves[name] = np.array(scores)
    print(
        f"{name:15} average precision {curves[name][:, -1].mean():.2f}, "
        f"{np.mean(relevant):3.0f} relevant texts among the labels, "
        f"{1000 * np.mean(seconds) / (N_LABELS - 10):.1f} ms per label"
    )

# %%
# Learning curves
# ===============
#
# The average precision is the mean precision over all thresholds: 1 if all relevant texts are
# ranked before all others, and 0.05, their share, for a random order. It is measured on the test
# set, for three selections of the first ten texts. The dotted line is a model that was trained
# with all 50 000 labels.

BLUE, ORANGE, GREY, INK = "#1f6feb", "#d1702a", "#8b949e", "#24292f"

n_labels = np.arange(20, N_LABELS + 1, BATCH)
everything = LASVC(kernel="linear", C=1, random_state=0).fit(X_pool, y_pool)
limit = average_precision_score(y_test, everything.decision_function(X_test))

figure, axis = plt.subplots(figsize=(7.2, 4.6), layout="constrained")
for (name, scores), colour in zip(curves.items(), (GREY, BLUE, ORANGE), strict=True):
    axis.fill_between(
        n_labels, scores.min(axis=0), scores.max(axis=0), color=colour, alpha=0.15, linewidth=0
    )
    axis.plot(n_labels, scores.mean(axis=0), color=colour, linewidth=2.5, label=name)
axis.axhline(limit, color=INK, linewidth=1.2, linestyle=":")
axis.text(500, limit, f"all labels: {limit:.2f}", ha="right", va="bottom", color=INK, fontsize=12)
axis.set(xlabel="labels", xlim=(0, 500), ylim=(0, 1.05))
axis.set_title("Average precision of the ranking", loc="left", fontweight="bold")
axis.spines[["top", "right"]].set_visible(False)
axis.grid(color="#e6e8eb", linewidth=0.8)
axis.legend(frameon=False, loc="lower right", fontsize=12)
plt.show()

# %%
# How many labels does each way need for the result of 500 random labels?

reference = curves["random"].mean(axis=0)[-1]
for name, scores in curves.items():
    enough = n_labels[scores.mean(axis=0) >= reference][0]
    print(f"{name:15} {enough} labels for an average precision of {reference:.2f}")

# %%
# Among 500 random texts few are relevant; margin sampling selects seven times as many. Scoring all
# 50 000 texts for each batch is not better here than drawing 59 per query.
#
# Three remarks for real texts:
#
# - Texts selected by margin sampling are not representative: two in five of them are relevant
#   here, instead of one in twenty. To estimate an error, label a random sample as well, like the
#   test set here.
# - Labels that persons assign are sometimes wrong. Use a smaller ``C`` then: :ref:`active_pool`
#   shows results with wrong labels.
# - A person needs seconds for a label, so that all three ways are fast enough: after each batch
#   the model is updated, not trained again.
