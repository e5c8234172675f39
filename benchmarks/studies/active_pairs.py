"""Pairs of author records, section 3.4 of Ertekin (2009).

The records are those of ``examples/few_labels/_author_records.py``.
"""

from operator import attrgetter

import numpy as np
from sklearn.svm import SVC

from sklearn_online_svm import LASVC, ActiveLASVC
from sklearn_online_svm.active import EntityResolver

from ..bench.frames import frame, mean, points
from ..bench.plots import BLUE, GREY, legend_below, optimum, panels, plain_log, plot, save
from ..bench.rst import count, list_table, percent
from ..bench.study import Study, named, seeded, step

# As in Tables 3.4 and 3.5: three names for training, the others for testing.
TRAINING = ("D. Johnson", "J. Anderson", "M. Jones")
# The test names of Figure 3.15.
SHOWN = ("C. Chen", "J. Robinson", "M. Miller")
SCALE, QUICK_SCALE = 0.4, 0.1
PARAMETERS = dict(C=10, gamma=0.1)
# Labels after which a curve has a point, and those of Table 3.5's models.
CURVE, QUICK_CURVE = [100, 200, 500, 1000, 2000, 4000, 8000], [100, 200]
N_FEW = 2000


def pairs_of_names(seed, quick):
    """Similarities of the pairs of records of each name, and whether they have one author."""
    from examples.few_labels import _author_records as generator

    scale = QUICK_SCALE if quick else SCALE
    blocks = {name: generator.make_block(name, scale, seed) for name in generator.BLOCKS}
    functions = generator.similarities([r for records, _ in blocks.values() for r in records])
    found = {}
    for name, (records, truth) in blocks.items():
        resolver = EntityResolver(functions, blocking=attrgetter("listed_under"))
        pairs = resolver.candidate_pairs(records)
        found[name] = (
            resolver.pair_similarities(records, pairs),
            generator.same_author(truth, pairs),
        )
    return found


def curves_of_pairs(seed=0, quick=False):
    """Error against labels, chosen or at random, and the error of SVC on all labels: of each
    training name after the two others (Figure 3.14), of each test name after all three (3.15).
    """
    pairs = pairs_of_names(seed, quick)
    rounds = [([other for other in TRAINING if other != name], [name]) for name in TRAINING]
    rounds.append((TRAINING, [name for name in pairs if name not in TRAINING]))
    curves = []
    for known, tested in rounds:
        X, y = (np.concatenate(part) for part in zip(*(pairs[name] for name in known)))
        order = np.random.default_rng(seed).permutation(len(y))
        models = {("svc", len(y)): SVC(**PARAMETERS).fit(X, y)}
        fixed = dict(max_iter=1, random_state=seed, **PARAMETERS)
        for n in QUICK_CURVE if quick else CURVE:
            some = order[:n]
            models["active", n] = ActiveLASVC(max_labels=n, **fixed).fit(X, y)
            models["random", n] = LASVC(**fixed).fit(X[some], y[some])
        for name in tested:
            X_test, y_test = pairs[name]
            found = [
                {
                    "model": model,
                    "n_labels": n,
                    "n_vectors": len(fitted.support_),
                    "error": float(np.mean(fitted.predict(X_test) != y_test)),
                }
                for (model, n), fitted in models.items()
            ]
            curves.append({"name": name, "points": found})
    return {"curves": curves}


def pair_points(results):
    return points(frame("pairs_curves", results), "points", "name", "seed")


def pairs_models(results):
    """Error on each test name, as in Table 3.5: all labels, few chosen ones, few random ones."""
    found = pair_points(results)
    found = found[~found["name"].isin(TRAINING)]
    models = [dict(model="svc"), *(dict(model=m, n_labels=N_FEW) for m in ("active", "random"))]

    def row(title, here, field="error", form=percent):
        return [title, *(form(mean(here, field, **model)) for model in models)]

    rows = [
        # "A. Gupta" would be an item of a list.
        *(row(name.replace(".", "\\."), here) for name, here in found.groupby("name", sort=False)),
        row("mean", found),
        row("support vectors", found, "n_vectors", count),
    ]
    header = ["", "``SVC``, all", f"active, {count(N_FEW)}", f"random, {count(N_FEW)}"]
    title = f"Test error; means over {found.seed.nunique()} generated sets of records"
    return list_table(header, rows, title)


def pairs_names(results):
    """Records and authors of each name, and in parentheses those of Table 3.4."""
    from examples.few_labels import _author_records as generator

    frame("pairs_curves", results)

    rows = []
    for name, printed in generator.BLOCKS.items():
        pairs = zip(generator.size_of(name, SCALE), printed)
        sizes = [f"{count(size)} ({count(of_thesis)})" for size, of_thesis in pairs]
        use = "training" if name in TRAINING else "testing"
        rows.append([name.replace(".", "\\."), *sizes, use])
    return list_table(["", "records", "authors", "used for"], rows)


def draw_pairs(results, folder):
    """Errors on pairs of records: each training name left out (3.14), three test names (3.15)."""
    found = pair_points(results).groupby(["name", "model"])
    figure, axes = panels(3, 2, width=4.0, height=2.7)
    for column, number, names in zip(axes.T, ("3.14", "3.15"), (TRAINING, SHOWN)):
        for axis, name in zip(column, names):
            for model, colour in (("random", GREY), ("active", BLUE)):
                by_labels = found.get_group((name, model)).groupby("n_labels", as_index=False)
                means = by_labels["error"].mean().to_dict("records")
                plot(axis, means, "n_labels", "error", 100, color=colour, label=model)
            optimum(axis, mean(found.get_group((name, "svc")), "error"), "SVC, all pairs")
            axis.set_title(f"{number}: {name}")
            plain_log(axis.xaxis, subs=(1, 2, 5))
            axis.tick_params(axis="x", labelrotation=45)
    for axis in axes[:, 0]:
        axis.set_ylabel("error on pairs (%)")
    for axis in axes[-1]:
        axis.set_xlabel("labels")
    legend_below(figure, axes, 3)
    save(figure, folder / "selection_pairs.png")


STUDY = Study(
    steps={"pairs_curves": step(curves_of_pairs, seeded([{}], 5), split="curves")},
    tables=named(pairs_models, pairs_names),
    figures=[draw_pairs],
)
