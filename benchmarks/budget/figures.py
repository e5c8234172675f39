"""Figures of `budget`."""

from ..bench.plots import panels, save
from ..bench.summary import stored_records
from .streams import WRONG

STYLES = {
    "kernel_arow": ("#56b4e9", "-", "kernel AROW"),
    "kernel_arow_stationary": ("#56b4e9", ":", "kernel AROW, no forgetting"),
    "merging": ("#d55e00", "-", "LASVC, merging"),
    "oldest": ("#0072b2", "-", "LASVC, oldest"),
    "aged": ("#009e73", "-", "LASVC, window_size"),
    "unlimited": ("#000000", ":", "LASVC, no limit"),
    "kernel_pa": ("#cc79a7", "-", "kernel PA"),
    "nystroem_sgd": ("#888888", "--", "Nystroem, SGD"),
    "alma": ("#bbbbbb", "-.", "ALMA"),
    "forest": ("#e69f00", "--", "random forest (river)"),
}


def draw_streams(results, folder):
    """Error and memory along two streams, a curve for each model."""
    worlds = {w: stored_records(f"budget_{w}", results).ok() for w in ("gradual", "abrupt")}
    if not all(worlds.values()):
        return
    figure, axes = panels(2, 2, width=4.8, height=3.0)
    for column, (world, records) in enumerate(worlds.items()):
        for model, (colour, line, label) in STYLES.items():
            for record in records.where(model=model).records:
                rows = [point["rows"] / 1000 for point in record["points"]]
                style = dict(color=colour, linestyle=line, label=label, linewidth=1.4)
                if len(rows) == 1:
                    style["marker"] = "o"
                for row, (name, factor) in enumerate((("error", 100.0), ("megabytes", 1.0))):
                    values = [factor * point[name] for point in record["points"]]
                    axes[row, column].plot(rows, values, **style)
        axes[0, column].axhline(100 * WRONG, color="#999999", linewidth=0.8)
        axes[0, column].set(title=f"{world} change", ylabel="error (%)", ylim=(4, 30))
        axes[1, column].set(xlabel="thousand samples", ylabel="memory (MB)")
    axes[0, 1].legend(frameon=False, fontsize=7, ncols=2)
    save(figure, folder / "budget_streams.png")
