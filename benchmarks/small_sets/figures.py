"""Figure of `small_sets`: time against the number of classes."""

from ..bench.plots import panels, plain_log, save
from .sets import CURVE_TITLES, GRID, N_CLASSES, N_PER_CLASS
from .tables import points, ratio

# Okabe and Ito's colours, which the colour-blind can tell apart.
STYLES = {
    "svc": ("#d55e00", "s", "SVC"),
    "lasvc": ("#0072b2", "o", "LASVC"),
    "ovr": ("#009e73", "^", "LASVC, one-vs-rest"),
}
SHADES = dict(zip(N_PER_CLASS, ("#a6c8e6", "#56a0d3", "#0072b2", "#003a5c"), strict=True))


def draw_classes(results, folder):
    """Times with 25 samples a class, and ratios with other numbers of samples."""
    found, of_grid = points("small_sets", results), points("small_sets_grid", results)
    curve = {k: found[name] for k, name in CURVE_TITLES.items() if name in found}
    if not curve:
        return
    figure, (axes,) = panels(1, 2)
    for model, (colour, marker, label) in STYLES.items():
        times = [1000 * models[model]["seconds"] for models in curve.values()]
        axes[0].plot(list(curve), times, f"{marker}-", color=colour, markersize=5, label=label)
    for n, colour in SHADES.items():
        measured = [k for k in N_CLASSES if GRID.get((k, n)) in of_grid]
        ratios = [ratio(of_grid[GRID[k, n]], "svc", "lasvc") for k in measured]
        axes[1].plot(measured, ratios, "o-", color=colour, markersize=5, label=f"{n} a class")
    axes[1].axhline(1, color="#8b949e", linewidth=1)
    for axis, head in zip(
        axes, ("fit of 25 samples a class, ms", "time of SVC / time of LASVC"), strict=True
    ):
        axis.set_title(head, loc="left", fontsize=10)
        axis.set_xlabel("classes")
        plain_log(axis.xaxis, (1, 3))
        plain_log(axis.yaxis, (1, 2, 5))
        axis.legend(frameon=False, fontsize=8)
    save(figure, folder / "small_sets_classes.png")
