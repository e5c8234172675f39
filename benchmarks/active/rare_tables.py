"""Tables of rare classes: chapters 4 and 5 of the thesis compared with ours."""

import numpy as np
from scipy.stats import rankdata, wilcoxon

from ..bench.results import load_those_stored
from ..bench.rst import list_table, seconds
from ..bench.summary import Records, stored_records
from .rare_paper import TABLE_4_3, TABLE_4_4, TABLE_5_2, TABLE_5_3
from .rare_sets import MONEY_FX, SETS, WAVEFORM, WIDE

STEPS = ("rare_reuters", "rare_sets", "rare_wide", "rare_waveform")
TITLES = {
    "batch": "batch",
    "one_pass": "``LASVC``, all samples",
    "under_sampling": "under-sampling",
    "smote": "SMOTE",
    "costs": "costs",
    "active": "active",
    "active_margin": 'active, ``"margin"``',
    "active_all": "active, no stop",
    "virtual": "VIRTUAL",
    "virtual_margin": 'VIRTUAL, ``"margin"``',
    "virtual_all": "VIRTUAL, no stop",
}
# The methods of Tables 4.4 and 4.5, and of Table 5.3.
CHAPTER_4 = ["batch", "under_sampling", "smote", "costs", "active"]
CHAPTER_5 = ["batch", "smote", "active", "virtual"]


def rare_records(results):
    """All records that went well; empty without results."""
    stored = load_those_stored(STEPS, results).values()
    return Records(record for step in stored for record in step["records"]).ok()


def records_of_chapter_4(results):
    """With MNIST-8, where active selection uses the thesis' number of samples and no rule."""
    records = rare_records(results).records
    for record in stored_records("along_mnist", results).ok().records:
        n_negative = record["n_train"] - record["n_positive"]
        point = record["points"][-1]
        records.append(record | point | {
            "rival": record["rival"].removesuffix("_all"),
            "n_negative": n_negative,
            "n_labels": point["n_learnt"],
        })  # fmt: skip
    return Records(records)


def _mean(records, workload, rival, field):
    return float(np.mean(records.where(workload=workload, rival=rival).values(field)))


def _means(records, workloads, rivals, field):
    """A row for each set, a column for each method, in per cent as they are printed.

    Over the runs that all of them had; batch, in which nothing is drawn, may have had fewer.
    """
    rows = []
    for workload in workloads:
        here = records.where(workload=workload)
        runs = [
            {record["seed"] for record in here.where(rival=rival).records}
            for rival in rivals
            if rival != "batch"
        ]
        shared = set.intersection(*runs)
        same = Records(record for record in here.records if record["seed"] in shared)
        rows.append([100 * _mean(same, workload, rival, field) for rival in rivals])
    return np.round(rows, 2)


def _sets(records, printed):
    measured = {record["workload"] for record in records.records}
    return [workload for workload in printed if workload in measured]


def ranks(values):
    """1 is best; equal values share the better rank, as in the thesis."""
    return rankdata(-np.asarray(values), method="min", axis=1)


def _p_value(mine, other):
    if np.array_equal(mine, other):
        return "–"
    return f"{wilcoxon(mine, other).pvalue:.2g}"


def beside(text, value, digits=2):
    """Ours, and the thesis' in brackets."""
    return f"{text} [{value:.{digits}f}]"


def _ranked(records, printed, rivals, field, favourite, title):
    """Scores with their ranks; below the mean ranks and Wilcoxon's p of the favourite."""
    workloads = _sets(records, printed)
    if not workloads:
        return None
    theirs = np.array([printed[workload][: len(rivals)] for workload in workloads])
    ours = _means(records, workloads, rivals, field)
    places = ranks(ours)
    rows = []
    for i, workload in enumerate(workloads):
        cells = [
            beside(f"{score:.2f} ({place:.0f})", value)
            for score, place, value in zip(ours[i], places[i], theirs[i])
        ]
        rows.append([SETS[workload].title, *cells])
    their_ranks = ranks(theirs).mean(axis=0)
    cells = [beside(f"{a:.2f}", b) for a, b in zip(places.mean(axis=0), their_ranks)]
    rows.append(["mean rank", *cells])
    mine = ours[:, rivals.index(favourite)]
    other = theirs[:, rivals.index(favourite)]
    cells = [
        f"{_p_value(mine, ours[:, j])} [{_p_value(other, theirs[:, j])}]" if r != favourite else ""
        for j, r in enumerate(rivals)
    ]
    rows.append([f"p of {TITLES[favourite]} against it", *cells])
    wins = zip((places == 1).sum(axis=0), (ranks(theirs) == 1).sum(axis=0))
    rows.append([f"first of {len(workloads)}", *(f"{a} [{b}]" for a, b in wins)])
    return list_table(["", *(TITLES[rival] for rival in rivals)], rows, title)


def rare_table_4_3(results):
    """Active with an early stop compared with batch."""
    records = records_of_chapter_4(results)
    rows = []
    for workload in _sets(records, TABLE_4_3):
        gmean, active_gmean, auc, active_auc, ratio, share = TABLE_4_3[workload]
        n_positive, n_negative = (
            _mean(records, workload, "active", field) for field in ("n_positive", "n_negative")
        )
        n_labels = _mean(records, workload, "active", "n_labels")
        cells = [SETS[workload].title]
        for field, value, active in (("gmean", gmean, active_gmean), ("auc", auc, active_auc)):
            for rival, printed in (("batch", value), ("one_pass", value), ("active", active)):
                mean = 100 * _mean(records, workload, rival, field)
                cells.append(beside(f"{mean:.2f}", printed))
        cells.append(f"{n_negative / n_positive:.1f}")
        vector_ratio = _mean(records, workload, "active", "vector_ratio")
        cells.append(beside(f"{vector_ratio:.2f}", ratio))
        cells.append(beside(f"{100 * n_labels / (n_positive + n_negative):.1f}", share, 1))
        rows.append(cells)
    header = [
        "", "g-mean, batch", "LASVC", "active", "AUC, batch", "LASVC", "active",
        "ratio of the classes", "of active's support vectors", "labels used (%)",
    ]  # fmt: skip
    return list_table(header, rows, "In per cent; in square brackets the thesis")


def rare_table_4_4(results):
    """PRBEP of chapter 4's methods, with the ranks of Table 4.5."""
    title = "PRBEP in per cent; in brackets the rank, in square brackets the thesis"
    return _ranked(records_of_chapter_4(results), TABLE_4_4, CHAPTER_4, "prbep", "active", title)


def rare_gmeans_4(results):
    """G-means of the same, which the thesis shows as curves (Figure 4.9)."""
    records = records_of_chapter_4(results)
    workloads = _sets(records, TABLE_4_4)
    if not workloads:
        return None
    ours = _means(records, workloads, CHAPTER_4, "gmean")
    places = ranks(ours)
    rows = [
        [SETS[w].title, *(f"{a:.2f} ({b:.0f})" for a, b in zip(scores, order))]
        for w, scores, order in zip(workloads, ours, places)
    ]
    rows.append(["mean rank", *(f"{rank:.2f}" for rank in places.mean(axis=0))])
    header = ["", *(TITLES[rival] for rival in CHAPTER_4)]
    return list_table(header, rows, "g-mean in per cent; in brackets the rank")


VECTOR_COLUMNS = [
    "ratio, SMOTE", "ratio, active", "ratio, VIRTUAL", "share, SMOTE (%)", "share, VIRTUAL (%)",
    "share of those used, VIRTUAL (%)", "implied for each positive vector",
]  # fmt: skip


def vector_cells(records, workload, printed):
    """Ratios of the support vectors, and shares of the virtual samples that are among them."""
    ratios = [
        _mean(records, workload, rival, "vector_ratio") for rival in ("smote", "active", "virtual")
    ]
    shares = [
        100 * _mean(records, workload, rival, "virtual_ratio") for rival in ("smote", "virtual")
    ]
    used = share_of_used(records.where(workload=workload, rival="virtual"))
    cells = [beside(f"{ratio:.2f}", value) for ratio, value in zip(ratios, printed)]
    cells += [beside(f"{share:.1f}", value, 1) for share, value in zip(shares, printed[3:])]
    made = implied(*ratios[1:], shares[1]), implied(*printed[1:3], printed[4])
    return [*cells, f"{100 * used:.1f}", beside(f"{made[0]:.2f}", made[1])]


def implied(active, virtual, share):
    """Virtual samples for each positive support vector, if there are as many others as before."""
    return 100 * (active / virtual - 1) / share


def rare_table_5_2(results):
    """Support vectors with SMOTE, active and VIRTUAL."""
    records = rare_records(results)
    rows = []
    for workload in _sets(records, TABLE_5_2):
        cells = vector_cells(records, workload, TABLE_5_2[workload])
        for rival, field in (("smote", ""), ("virtual", ""), ("virtual", "_used")):
            cells.append(f"{_mean(records, workload, rival, 'n_virtual' + field):.0f}")
        rows.append([SETS[workload].title, *cells])
    header = ["", *VECTOR_COLUMNS, "samples, SMOTE", "samples, VIRTUAL", "of them used"]
    title = (
        "Negative to positive support vectors, share of the virtual samples that are support "
        "vectors, and their number; in square brackets the thesis"
    )
    return list_table(header, rows, title)


def share_of_used(records):
    """Share of support vectors among the virtual samples that were used for training."""
    found = [
        r["virtual_ratio"] * r["n_virtual"] / max(1, r["n_virtual_used"]) for r in records.records
    ]
    return float(np.mean(found))


# The thesis has other numbers of active selection in chapter 4 than in chapter 5: both.
_4_3, _4_4, _5_2, _5_3 = (
    table["rare_money-fx"] for table in (TABLE_4_3, TABLE_4_4, TABLE_5_2, TABLE_5_3)
)
PRINTED_AUTHORS = {
    "batch": dict(gmean=_5_3[:1], auc=_4_3[2:3], prbep=_4_4[:1]),
    "one_pass": dict(gmean=_5_3[:1], auc=_4_3[2:3], prbep=_4_4[:1]),
    "under_sampling": dict(prbep=_4_4[1:2]),
    "smote": dict(
        gmean=_5_3[1:2], prbep=_4_4[2:3], vector_ratio=_5_2[:1], virtual_ratio=_5_2[3:4]
    ),
    "costs": dict(prbep=_4_4[3:4]),
    "active": dict(
        gmean=(_5_3[2], _4_3[1]),
        auc=_4_3[3:4],
        prbep=_4_4[4:5],
        vector_ratio=(_5_2[1], _4_3[4]),
        n_labels=_4_3[5:6],
    ),
    "virtual": dict(gmean=_5_3[3:4], vector_ratio=_5_2[2:3], virtual_ratio=_5_2[4:5]),
    "active_all": {},
    "virtual_all": {},
}
# Fields, with their factor, digits and titles.
AUTHORS_FIELDS = {
    "gmean": (100, 2, "g-mean"),
    "auc": (100, 2, "AUC"),
    "prbep": (100, 2, "PRBEP"),
    "vector_ratio": (1, 2, "ratio of the support vectors"),
    "n_labels": (None, 1, "labels used (%)"),
    "virtual_ratio": (100, 1, "share of virtual samples (%)"),
}


def rare_authors(results):
    """Money-fx on the matrix of the authors: mean and range over the runs."""
    records = stored_records("rare_authors", results).ok()
    rows = []
    for rival, printed in PRINTED_AUTHORS.items():
        here = records.where(rival=rival)
        if not here:
            continue
        (first, *_) = here.records
        n_train = first["n_positive"] + first["n_negative"]
        cells = [TITLES[rival]]
        for field, (factor, digits, _) in AUTHORS_FIELDS.items():
            values = [(factor or 100 / n_train) * value for value in here.values(field)]
            cell = spread(values, digits)
            if field in printed:
                cell += f" [{', '.join(f'{value:.{digits}f}' for value in printed[field])}]"
            cells.append(cell)
        rows.append(cells)
    header = ["", *(title for _, _, title in AUTHORS_FIELDS.values())]
    n_runs = len(records.where(rival="active").records)
    title = (
        f"{SETS[MONEY_FX].title}: means over {n_runs} runs, in brackets the smallest and the "
        "largest value, in square brackets the thesis"
    )
    return list_table(header, rows, title)


def spread(values, digits):
    """Mean and range; the value alone if all are equal as printed."""
    if not values:
        return "–"
    low, mean, high = (f"{f(values):.{digits}f}" for f in (min, np.mean, max))
    return mean if low == high else f"{mean} ({low} to {high})"


READING_TITLES = {
    "none": "no virtual samples",
    "printed": "Algorithm 5.1, one virtual sample for each support vector",
    "without a stop": "... without early stopping",
    "700 samples": "... stopped after 700 samples",
    "not finished": "... before the final optimization",
    "two each": "... two virtual samples",
    "three each": "... three virtual samples",
    "1 neighbour": "... one neighbor",
    "20 neighbours": "... 20 neighbors",
    "C = 0.5": "... ``C=0.5``",
    "C = 2": "... ``C=2``",
    "own neighbour": "... the sample among its five neighbors",
    "own neighbour, two each": "... the same, two virtual samples",
    "copies": "... copies of the support vector",
    "again": "... one more whenever a virtual sample becomes a support vector",
    "repeated": "... one more for each positive support vector after every 500 samples",
}


def rare_readings(results):
    """Support vectors and g-mean of VIRTUAL for each reading of the algorithm."""
    records = stored_records("rare_readings", results).ok()
    if not records:
        return None
    rows = []
    for name, title in READING_TITLES.items():
        here = records.where(rival=name)
        gmean, ratio, n_vectors, n_virtual, share, n_labels = (
            float(np.mean(here.values(field)))
            for field in (
                "gmean",
                "vector_ratio",
                "n_vectors",
                "n_virtual",
                "virtual_ratio",
                "n_labels",
            )  # fmt: skip
        )
        virtual = float(np.mean([r["virtual_ratio"] * r["n_virtual"] for r in here.records]))
        negative = n_vectors * ratio / (1 + ratio)
        real = n_vectors - negative - virtual
        made = [f"{virtual:.0f}", f"{n_virtual:.0f}"]
        made += [f"{100 * share:.1f}", f"{100 * share_of_used(here):.1f}"]
        rows.append([
            title, f"{100 * gmean:.2f}", f"{ratio:.2f}", f"{negative:.0f}", f"{real:.0f}",
            *(made if n_virtual else ["–"] * len(made)), f"{n_labels:.0f}",
        ])  # fmt: skip
        if name == "printed":
            # The virtual samples with which these vectors would have the thesis' ratio and share.
            virtual = negative / _5_2[2] - real
            rows.append([
                "what the values of the thesis require of it", f"{_5_3[3]:.2f}",
                f"{_5_2[2]:.2f}", f"{negative:.0f}", f"{real:.0f}", f"{virtual:.0f}",
                f"{100 * virtual / _5_2[4]:.0f}", f"{_5_2[4]:.1f}", "–", "–",
            ])  # fmt: skip
    header = [
        "", "g-mean", "ratio", "negative support vectors", "positive, real", "positive, virtual",
        "virtual samples", "share (%)", "share of those used (%)", "labels",
    ]  # fmt: skip
    n_runs = len(records.where(rival="printed").records)
    return list_table(header, rows, f"{SETS[MONEY_FX].title}, means over {n_runs} runs")


def rare_table_5_3(results):
    """G-means of batch, SMOTE, active and VIRTUAL."""
    title = "g-mean in per cent; in brackets the rank, in square brackets the thesis"
    return _ranked(rare_records(results), TABLE_5_3, CHAPTER_5, "gmean", "virtual", title)


def rare_table_5_3_all(results):
    """The same without a stop."""
    rivals = ["batch", "smote", "active_all", "virtual_all"]
    title = "g-mean in per cent without a stop; brackets as before"
    return _ranked(rare_records(results), TABLE_5_3, rivals, "gmean", "virtual_all", title)


def rare_wide(results):
    """Three topics with the parameters of the others: g-means and support vectors."""
    records = rare_records(results)
    rows = []
    for workload in _sets(records, WIDE):
        gmeans, vectors = TABLE_5_3[WIDE[workload]], TABLE_5_2[WIDE[workload]]
        cells = [SETS[workload].title]
        for rival, value in zip(CHAPTER_5, gmeans):
            cells.append(beside(f"{100 * _mean(records, workload, rival, 'gmean'):.2f}", value))
        rows.append([*cells, *vector_cells(records, workload, vectors)])
    header = ["", *(f"g-mean, {TITLES[rival]}" for rival in CHAPTER_5), *VECTOR_COLUMNS]
    return list_table(header, rows, "``C=1, gamma=0.5``; in square brackets the thesis")


def rare_waveform(results):
    """G-means while positive samples become rarer, and what the support vectors are."""
    records = rare_records(results)
    workloads = _sets(records, WAVEFORM)
    if not workloads:
        return None
    rivals = [*CHAPTER_4, "virtual", "active_all", "virtual_all"]
    gmeans = _means(records, workloads, rivals, "gmean")
    rows = []
    for workload, scores in zip(workloads, gmeans):
        cells = [str(WAVEFORM[workload]), *(f"{score:.2f}" for score in scores)]
        for rival in ("active", "virtual"):
            cells.append(f"{_mean(records, workload, rival, 'vector_ratio'):.2f}")
        for rival in ("active", "virtual"):
            cells.append(f"{100 * _share_of_labels(records, workload, rival):.0f}")
        rows.append(cells)
    header = [
        "ratio", *(TITLES[rival] for rival in rivals), "ratio of active's support vectors",
        "of VIRTUAL's", "labels, active (%)", "labels, VIRTUAL (%)",
    ]  # fmt: skip
    return list_table(header, rows, "Waveform, g-mean in per cent")


def rare_times(results):
    """Time of all methods, resampling included."""
    records = rare_records(results)
    rivals = ["batch", "under_sampling", "smote", "costs", "active", "virtual"]
    printed = TABLE_5_3 | {w: (*values, None) for w, values in TABLE_4_4.items()}
    rows = []
    for workload in _sets(records, printed):
        cells = [SETS[workload].title]
        for rival in rivals:
            cells.append(seconds(records.where(workload=workload, rival=rival).median("seconds")))
        rows.append(cells)
    return list_table(["", *(TITLES[rival] for rival in rivals)], rows, "Medians")


STOPS = {'``"n_support"``': "", '``"margin"``': "_margin", "none": "_all"}


def rare_stops(results):
    """Mean ranks and labels of Table 5.3, for each rule of stopping."""
    records = rare_records(results)
    workloads = _sets(records, TABLE_5_3)
    if not workloads:
        return None
    rows = []
    for title, suffix in STOPS.items():
        rivals = ["batch", "smote", "active" + suffix, "virtual" + suffix]
        ours = _means(records, workloads, rivals, "gmean")
        weighted = _means(records, workloads, ["costs", *rivals[1:]], "gmean")
        labels = [
            np.mean([_share_of_labels(records, workload, rival) for workload in workloads])
            for rival in rivals[2:]
        ]
        rows.append([
            title,
            *(f"{rank:.2f}" for rank in ranks(ours).mean(axis=0)),
            _p_value(ours[:, 3], ours[:, 1]),
            *(f"{100 * share:.0f}" for share in labels),
            *(f"{rank:.2f}" for rank in ranks(weighted).mean(axis=0)[[0, 3]]),
        ])  # fmt: skip
    header = [
        "stop", "batch", "SMOTE", "active", "VIRTUAL", "p of VIRTUAL against SMOTE",
        "labels, active (%)", "labels, VIRTUAL (%)", "costs for batch: costs", "and VIRTUAL",
    ]  # fmt: skip
    return list_table(header, rows, f"Mean ranks of the g-mean on {len(workloads)} sets")


def _share_of_labels(records, workload, rival):
    n_rows = sum(_mean(records, workload, rival, name) for name in ("n_positive", "n_negative"))
    return _mean(records, workload, rival, "n_labels") / n_rows


TABLES = {
    table.__name__: table
    for table in (
        rare_table_4_3,
        rare_table_4_4,
        rare_gmeans_4,
        rare_table_5_2,
        rare_table_5_3,
        rare_table_5_3_all,
        rare_stops,
        rare_wide,
        rare_authors,
        rare_readings,
        rare_waveform,
        rare_times,
    )
}
