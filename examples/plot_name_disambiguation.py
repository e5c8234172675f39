"""
===================================
Who is who: from records to authors
===================================

A library has papers by "J. Smith", "Smith, Jane" and "Jane A. Smiht". How many persons are they,
and who wrote what? After section 3.4 of the thesis [Ertekin2009]_: similarities of two records,
:class:`~sklearn_online_svm.LASVC` with few chosen labels as the distance, and DBSCAN on top.
:ref:`name_disambiguation` tells why it is done this way.

The records are **synthetic**: the generator knows the truth, and nobody in them exists. It is in
``_author_records.py`` beside this program, with the similarities; those need rapidfuzz
(``pip install rapidfuzz``).
"""

# %%
# Records
# =======
#
# Ten names, each borne by many authors. Names come with and without initials, family first, with
# typing errors; affiliations in several forms, as people move; e-mail and coauthors, if at all.

import tempfile
import time

import joblib
import matplotlib.pyplot as plt
import numpy as np
from _author_records import BLOCKS, FEATURES, make_block, same_author, similarities
from scipy.special import expit
from sklearn.cluster import DBSCAN
from sklearn.metrics import adjusted_rand_score, completeness_score, f1_score, homogeneity_score
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.svm import SVC

from sklearn_online_svm import LASVC
from sklearn_online_svm.active import MarginSampling

BLUE, ORANGE, GREY, INK = "#0072b2", "#d55e00", "#8b949e", "#24292f"

records, truth, X, y = {}, {}, {}, {}
for name in BLOCKS:
    records[name], truth[name] = make_block(name)
    X[name] = similarities(records[name])
    y[name] = same_author(truth[name])

for record in records["J. Smith"][:6]:
    print(f"{record.name:16} | {record.affiliation:50} | {record.email}")

# %%
# Pairs
# =====
#
# Only records that share a name are compared. Each pair is a row of similarities: soft TF-IDF for
# the names, edit distance for the e-mails, Jaccard for tokens of affiliations and for coauthors.
# That something is not known is a feature, too. The label says whether both are about the same
# author.

print(f"{'':14} {'records':>8} {'authors':>8} {'pairs':>8} {'same author':>12}")
for name in BLOCKS:
    sizes = f"{len(truth[name]):8} {len(set(truth[name])):8} {len(y[name]):8}"
    print(f"{name:14} {sizes} {y[name].mean():12.1%}")
print(*FEATURES, sep="; ")

# %%
# How many labels
# ===============
#
# Somebody has to look at two records to label their pair. So pairs are asked for one after the
# other: of 59 drawn at random, the one closest to the hyperplane. As in the thesis three names are
# there to learn from, and each in turn tests a model of the other two. ``C`` and ``gamma`` come
# from a search in which the names are the folds.

TRAINING = ["D. Johnson", "J. Anderson", "M. Jones"]
TEST = [name for name in BLOCKS if name not in TRAINING]


def together(names):
    groups = np.repeat(np.arange(len(names)), [len(y[name]) for name in names])
    return np.vstack([X[n] for n in names]), np.concatenate([y[n] for n in names]), groups


X_pairs, y_pairs, groups = together(TRAINING)
some = np.random.default_rng(0).choice(len(y_pairs), 3000, replace=False)
search = GridSearchCV(
    LASVC(random_state=0), {"C": [0.1, 1, 10], "gamma": [0.1, 0.3, 1, 3]}, cv=GroupKFold(3)
)
search.fit(X_pairs[some], y_pairs[some], groups=groups[some])
print(search.best_params_)


def learn(model, X_pairs, y_pairs, n_labels, seed=0, pool_size=59):
    """Buy labels one after the other; yield their number and how far the last row was."""
    random = np.random.default_rng(seed)
    first = [random.choice(np.flatnonzero(y_pairs == c), 5, replace=False) for c in (0, 1)]
    first = np.concatenate(first)
    model.partial_fit(X_pairs[first], y_pairs[first], classes=[0, 1])
    without_label = np.ones(len(y_pairs), dtype=bool)
    without_label[first] = False
    strategy = MarginSampling(pool_size, random_state=seed)
    for n in range(len(first) + 1, n_labels + 1):
        chosen, utilities = strategy.query(
            model, X_pairs, candidates=without_label, return_utilities=True
        )
        model.partial_fit(X_pairs[chosen], y_pairs[chosen])
        without_label[chosen] = False
        yield n, -utilities[0, chosen[0]]


def new_model():
    return LASVC(**search.best_params_)


N_LABELS, STEP = 4000, 50
n_labels = np.arange(STEP, N_LABELS + 1, STEP)
errors, sizes, decisions, exhausted = [], [], [], []
for held_out in TRAINING:
    X_fold, y_fold, _ = together([name for name in TRAINING if name != held_out])
    model, outside, end = new_model(), 0, N_LABELS
    seen = {"error": [], "size": [], "decision": []}
    for n, distance in learn(model, X_fold, y_fold, N_LABELS):
        # The margin is exhausted: ten times in a row even the closest of 59 lay outside.
        outside = outside + 1 if distance >= 1 else 0
        if outside == 10:
            end = min(end, n)
        if n % STEP == 0:
            decision = model.decision_function(X[held_out])
            seen["decision"].append(decision)
            seen["error"].append(100 * np.mean((decision > 0) != y[held_out]))
            seen["size"].append(len(model.support_))
    exhausted.append(end)
    errors.append(seen["error"])
    sizes.append(seen["size"])
    decisions.append(seen["decision"])

mean_error = np.mean(errors, axis=0)
stop = np.searchsorted(n_labels, max(exhausted))
print(f"error over the folds after {n_labels[stop]} labels: {mean_error[stop]:.2f} %")
print(f"after {n_labels[-1]}: {mean_error[-1]:.2f} %, the lowest of all: {mean_error.min():.2f} %")
print("margin exhausted after", ", ".join(map(str, exhausted)), "labels")

figure, axes = plt.subplots(1, 2, figsize=(9.6, 3.7), layout="constrained")
for axis, curves, title in zip(axes, (errors, sizes), ("test error (%)", "support vectors")):
    for curve, end, name in zip(curves, exhausted, TRAINING):
        axis.plot(n_labels, curve, color=GREY, linewidth=0.9)
        axis.plot(end, np.interp(end, n_labels, curve), "o", color=GREY, markersize=5)
        axis.text(N_LABELS, curve[-1], f" {name}", color=INK, fontsize=8, va="center")
    axis.plot(n_labels, np.mean(curves, axis=0), color=BLUE, linewidth=2)
    axis.axvline(n_labels[stop], color=ORANGE, linewidth=1.2)
    axis.set(xlabel="labels", title=title, xlim=(0, None), ylim=(0, None))
    axis.spines[["top", "right"]].set_visible(False)
axes[0].set_ylim(0, 20)
axes[0].text(n_labels[stop] + 60, 18.5, f"stop: {n_labels[stop]} labels", color=ORANGE)
plt.show()

# %%
# Blue is the mean of the three folds; the dots are where the margin is exhausted. From there on
# the error hardly moves, while pairs that no similarity tells apart go on to become support
# vectors. The last of the dots is where to stop. (Some hundred labels would give nearly the same
# error here, but which few hundred is luck.)
#
# The distance
# ============
#
# A model of all three names, with that many labels; beside it ``SVC``, which is given all labels,
# and ``LASVC`` with as many labels as ours, but of pairs drawn at random. The other seven names
# are for testing, as in Table 3.5 of the thesis.

model = new_model()
started = time.perf_counter()
for _ in learn(model, X_pairs, y_pairs, n_labels[stop]):
    pass
seconds = {"active": time.perf_counter() - started}
at_random = new_model()
for _ in learn(at_random, X_pairs, y_pairs, n_labels[stop], pool_size=1):
    pass
svc = SVC(**search.best_params_)
started = time.perf_counter()
svc.fit(X_pairs, y_pairs)
seconds["SVC"] = time.perf_counter() - started

n_vectors = {"SVC": len(svc.support_), "active": len(model.support_)}
for who, labels in (("SVC", len(y_pairs)), ("active", n_labels[stop])):
    print(f"{who:7} {labels:6} labels  {n_vectors[who]:5} vectors  {seconds[who]:5.2f} s to learn")


def judged(classifier, name):
    """Error in per cent, and seconds for all pairs of a name."""
    started = time.perf_counter()
    predicted = classifier.predict(X[name])
    return 100 * np.mean(predicted != y[name]), time.perf_counter() - started


print(f"\n{'':12} {'error (%)':^24}   {'prediction (s)':^16}")
print(f"{'':12} {'SVC':>8}{'active':>8}{'random':>8}   {'SVC':>8}{'active':>8}")
table = []
for name in TEST:
    (e_svc, t_svc), (e_active, t_active) = judged(svc, name), judged(model, name)
    e_random, _ = judged(at_random, name)
    table.append([e_svc, e_active, e_random, t_svc, t_active])
    print("{:12} {:8.2f}{:8.2f}{:8.2f}   {:8.3f}{:8.3f}".format(name, *table[-1]))
print("{:12} {:8.2f}{:8.2f}{:8.2f}   {:8.3f}{:8.3f}".format("mean", *np.mean(table, axis=0)))

# %%
# Here the labels are bought one after the other. If they are there already, as in an archive that
# somebody has been through, ``LASVC`` chooses and stops by itself, and takes the few rows that
# matter:

archive = LASVC(**search.best_params_, selection="active", stopping="margin", random_state=0)
archive.fit(X_pairs, y_pairs)
error = np.mean([judged(archive, name)[0] for name in TEST])
print(f"{archive.n_labels_used_} labels, {len(archive.support_)} vectors, {error:.2f} % errors")

# %%
# Authors
# =======
#
# A decision value says how sure the model is that two records have the same author. The logistic
# function of its negative is the distance from which DBSCAN makes clusters; records that belong
# nowhere are authors of their own. How close is close, ``eps``, comes from the folds above: there
# each name was judged by a model that had not seen it.


def distances(decision, n):
    D = np.zeros((n, n))
    D[np.triu_indices(n, k=1)] = expit(-decision)
    return D + D.T


def clusters(D, eps):
    labels = DBSCAN(eps=eps, min_samples=2, metric="precomputed").fit_predict(D)
    alone = labels < 0
    labels[alone] = labels.max() + 1 + np.arange(alone.sum())
    return labels


def pairwise_f1(name, labels):
    return f1_score(y[name], same_author(labels))


folds = [
    (name, distances(decision[stop], len(truth[name])))
    for name, decision in zip(TRAINING, decisions)
]
grid = np.linspace(0.01, 0.5, 50)
by_eps = [np.mean([pairwise_f1(name, clusters(D, eps)) for name, D in folds]) for eps in grid]
eps = grid[np.argmax(by_eps)]
print(f"eps={eps:.3f}: pairwise F1 {max(by_eps):.2f} over the folds\n")

columns = f"{'F1 pairs':>10}{'F1':>6}{'Rand':>6}{'homog.':>8}{'compl.':>8}"
print(f"{'':12} {'authors':>8}{'found':>8}{columns}")
found, quality = {}, []
for name in TEST:
    decision = model.decision_function(X[name])
    found[name] = clusters(distances(decision, len(truth[name])), eps)
    measures = (truth[name], found[name])
    quality.append(
        [
            f1_score(y[name], decision > 0),
            pairwise_f1(name, found[name]),
            adjusted_rand_score(*measures),
            homogeneity_score(*measures),
            completeness_score(*measures),
        ]
    )
    counts = f"{len(set(truth[name])):8}{len(set(found[name])):8}"
    print("{:12} {}{:10.2f}{:6.2f}{:6.2f}{:8.2f}{:8.2f}".format(name, counts, *quality[-1]))
mean = np.mean(quality, axis=0)
print("{:12} {:16}{:10.2f}{:6.2f}{:6.2f}{:8.2f}{:8.2f}".format("mean", "", *mean))

started = time.perf_counter()
decision = model.decision_function(similarities(records["J. Smith"]))
authors = clusters(distances(decision, len(records["J. Smith"])), eps)
seconds["from records"] = time.perf_counter() - started
print(f"\nfrom {len(authors)} records to their authors: {seconds['from records']:.2f} s")

# %%
# *F1 pairs* is that of the single decisions, *F1* that of the clusters, *Rand* the adjusted Rand
# index. A record without an e-mail finds its author by way of one that has an e-mail: the clusters
# are better than the decisions that they were made of. They are rather too small than too large
# (homogeneity above completeness), and some authors are found twice. Here are all pairs of
# "J. Smith", records sorted by their true author: what the model says, what the clusters say, and
# the truth.

order = np.argsort(truth["J. Smith"], kind="stable")
D = distances(model.decision_function(X["J. Smith"]), len(order))
pictures = {
    "similar, says LASVC": 1 - D,
    "same cluster": found["J. Smith"][:, None] == found["J. Smith"],
    "same author": truth["J. Smith"][:, None] == truth["J. Smith"],
}
figure, axes = plt.subplots(1, 3, figsize=(9.6, 3.4), layout="constrained")
for axis, (title, picture) in zip(axes, pictures.items()):
    axis.imshow(picture[np.ix_(order, order)], cmap="Blues", vmin=0, vmax=1)
    axis.set(title=title, xticks=[], yticks=[])
plt.show()

# %%
# Keep it, and go on
# ==================
#
# The model is a file. Later, somewhere else, it learns what a librarian says about a hundred pairs
# of a name that it has not seen; nothing is fitted anew. The error is that of pairs which nobody
# was asked about.

with tempfile.TemporaryDirectory() as folder:
    joblib.dump(model, f"{folder}/who_is_who.joblib")
    later = joblib.load(f"{folder}/who_is_who.joblib")

name = "A. Gupta"
strategy = MarginSampling(random_state=0)
not_asked = np.ones(len(y[name]), dtype=bool)
for _ in range(100):
    chosen = strategy.query(later, X[name], candidates=not_asked)
    later.partial_fit(X[name][chosen], y[name][chosen])
    not_asked[chosen] = False
for which, classifier in (("before", model), ("after", later)):
    error = np.mean(classifier.predict(X[name][not_asked]) != y[name][not_asked])
    others = np.mean([judged(classifier, other)[0] for other in TEST if other != name])
    print(f"{which:6} {error:.2%} errors on {name}, {others:.2f} % on the six other names")
