"""Figure of `tables`: error by the number of irrelevant features."""

from ..bench.plots import legend_below, panels, plain_log, save
from ..bench.summary import mean_curve, measured
from ..sets.tables import CLASSES
from .generated import N_RELEVANT

# Okabe and Ito's colours, which the colour-blind can tell apart.
STYLES = {
    "svm": ("#8b949e", "s", "SVC"),
    "boosting": ("#d55e00", "^", "boosting"),
    "without": ("#56b4e9", "o", "laplacian, without the metric"),
    "metric": ("#0072b2", "o", "laplacian, with the metric"),
}


def draw_irrelevant(results, folder):
    """Draw a panel for each function, of classes."""
    records = measured("tables_irrelevant", results)
    functions = records.distinct("function")
    figure, (axes,) = panels(1, len(functions), width=3.4)
    for axis, function in zip(axes, functions, strict=True):
        points = mean_curve(records, function=function, kind=CLASSES)
        for model, (colour, marker, label) in STYLES.items():
            errors = [100 * point[model] for point in points]
            widths = [point["n_features"] for point in points]
            axis.plot(widths, errors, f"{marker}-", color=colour, markersize=5, label=label)
        axis.set_title(f"{function}, test error (%)", loc="left", fontsize=10)
        axis.set(xlabel=f"features, of which {N_RELEVANT} are relevant", ylim=(0, None))
        plain_log(axis.xaxis, (1, 2, 5))
    legend_below(figure, axes[0], len(STYLES))
    save(figure, folder / "tables_irrelevant.png", tight=False)
