"""Figures of `deployment`."""

from ..bench.plots import panels, plain_log, save
from ..bench.summary import stored_records
from .tables import WAYS, title_of

COLOURS = {"ours": "#d1702a", "float32": "#1f6feb", "float64": "#8b949e"}


def draw_deployment_times(results, folder):
    """Time per sample of LASVC and its graphs, in batches and alone."""
    records = stored_records("deployment_onnx", results).ok().where(model="lasvc").records
    if not records:
        return
    figure, (axes,) = panels(1, 2, width=3.9, height=3.4)
    times = {
        "in batches of 500": lambda record, way: 1e6 * record[way]["seconds"] / record["n_test"],
        "one sample": lambda record, way: record[way]["microseconds"],
    }
    for axis, (title, time_of) in zip(axes, times.items(), strict=True):
        for way, name in WAYS.items():
            heights = [time_of(record, way) for record in records]
            label = name if way == "ours" else f"ONNX, {name}"
            axis.plot(heights, "o", markersize=9, color=COLOURS[way], label=label)
        axis.set_xticks(range(len(records)), [title_of(r["set"]) for r in records], fontsize=9)
        axis.set(yscale="log", ylim=(0.5, 500), title=title)
        plain_log(axis.yaxis)
    axes[0].set_ylabel("µs per sample")
    axes[1].legend(frameon=False, fontsize=9)
    save(figure, folder / "deployment_times.png")
