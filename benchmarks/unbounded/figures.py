"""Figures of `unbounded`."""

from ..bench.plots import panels, save
from ..sets.streams import DRIFTS, WRONG
from .models import DRIFT_MODELS
from .tables import drift_records

STYLES = {
    "kernel_arow": ("#0072b2", "-"),
    "kernel_arow_9999": ("#56b4e9", "-"),
    "kernel_arow_1": ("#56b4e9", ":"),
    "kernel_pa": ("#cc79a7", "-"),
    "lasvc": ("#000000", ":"),
    "lasvc_window": ("#009e73", "-"),
    "nystroem_arow": ("#888888", "--"),
    "tree": ("#e69f00", "-"),
    "forest": ("#d55e00", "-"),
}


def draw_streams(results, folder):
    """Error along the streams with concept drift, a curve for each model."""
    drifts = drift_records(results)
    if len(drifts) < len(DRIFTS):
        return
    figure, axes = panels(1, len(drifts), width=4.2, height=3.4)
    for axis, (name, found) in zip(axes.flat, drifts.items(), strict=True):
        for model, (colour, line) in STYLES.items():
            points = found.get(model, ())
            rows = [point["rows"] / 1000 for point in points]
            errors = [100 * point["error"] for point in points]
            style = dict(color=colour, marker="o" if len(rows) == 1 else None)
            axis.plot(rows, errors, line, label=DRIFT_MODELS[model].title, **style)
        axis.axhline(100 * WRONG, color="#bbbbbb", linewidth=0.8)
        axis.set(title=f"{name} drift", xlabel="thousand samples", ylim=(4, 30))
    axes.flat[0].set_ylabel("error (%)")
    axes.flat[0].legend(frameon=False, fontsize=7, ncols=2)
    save(figure, folder / "unbounded_streams.png")
