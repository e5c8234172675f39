"""Figures of `advice`."""

from ..bench.plots import panels, plain_log, save
from .sets import SETS
from .steps import KINDS
from .tables import curve_of

STYLES = {
    "none": ("#555555", "o"),
    "good": ("#009e73", "^"),
    "partial": ("#0072b2", "s"),
    "wrong": ("#d55e00", "X"),
}


def draw_curves(results, folder):
    """One panel for each set, a curve for each kind of advice."""
    if not all(curve_of(work, "none", results) for work in SETS):
        return
    figure, axes = panels(1, len(SETS), width=4.8, height=3.6)
    for panel, work in zip(axes.flat, SETS):
        for kind in KINDS:
            curve = curve_of(work, kind, results)
            colour, marker = STYLES[kind]
            # 0 samples are at the left end of a logarithmic axis.
            rows = [max(0.5, n) for n in curve]
            errors = [100 * error for error in curve.values()]
            panel.semilogx(rows, errors, color=colour, marker=marker, markersize=4, label=kind)
        panel.set(title=SETS[work].title, xlabel="samples used", ylabel="test error (%)")
        plain_log(panel.xaxis)
        panel.legend(frameon=False, fontsize=8)
    save(figure, folder / "advice_curves.png")
