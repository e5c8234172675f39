"""Figures of `unbounded`."""

from ..bench.plots import panels, save
from ..bench.summary import stored_records
from .streams import DRIFTS, WRONG

STYLES = {
    "kernel_arow": ("#0072b2", "-", "kernel AROW"),
    "kernel_arow_9999": ("#56b4e9", "-", "kernel AROW, 0.9999"),
    "kernel_arow_1": ("#56b4e9", ":", "kernel AROW, 1.0"),
    "kernel_pa": ("#cc79a7", "-", "kernel PA"),
    "lasvc": ("#000000", ":", "LASVC"),
    "lasvc_window": ("#009e73", "-", "LASVC, window"),
    "nystroem_arow": ("#888888", "--", "Nystroem, AROW"),
    "nystroem_sgd": ("#888888", ":", "Nystroem, SGD"),
    "tree": ("#e69f00", "-", "adaptive tree (river)"),
    "forest": ("#d55e00", "-", "adaptive forest (river)"),
}


def draw_streams(results, folder):
    """Error along the streams with concept drift, a curve for each model."""
    drifts = {name: stored_records(f"unbounded_{name}", results).ok() for name in DRIFTS}
    if not all(drifts.values()):
        return
    figure, axes = panels(1, len(drifts), width=4.2, height=3.4)
    for axis, (name, records) in zip(axes.flat, drifts.items(), strict=True):
        for model, (colour, line, label) in STYLES.items():
            for record in records.where(model=model).records:
                rows = [point["rows"] / 1000 for point in record["points"]]
                errors = [100 * point["error"] for point in record["points"]]
                marker = "o" if len(rows) == 1 else None
                axis.plot(rows, errors, line, color=colour, marker=marker, label=label)
        axis.axhline(100 * WRONG, color="#bbbbbb", linewidth=0.8)
        axis.set(title=f"{name} drift", xlabel="thousand samples", ylim=(4, 30))
    axes.flat[0].set_ylabel("error (%)")
    axes.flat[0].legend(frameon=False, fontsize=7, ncols=2)
    save(figure, folder / "unbounded_streams.png")
