"""Figure of `local`: error against the time of a sample."""

from ..bench.plots import panels, plain_log, save
from ..sets.local import SETS
from .models import KERNEL, LINEAR, LOCAL, MAPPED, MODELS
from .tables import error, microseconds, records

# Okabe and Ito's colours, which the colour-blind can tell apart.
STYLES = {
    LINEAR: ("#8b949e", "o", "linear"),
    LOCAL: ("#0072b2", "s", "LOL"),
    MAPPED: ("#e69f00", "^", "approximated kernel"),
    KERNEL: ("#d55e00", "D", "kernel"),
}
SHOWN = ["letter", "mnist", "satimage", "magic04"]


def draw_errors(results, folder):
    """Error against the time of a sample: each point is a model."""
    found = {name: record for name, record in records(results).items() if name in SHOWN}
    if not found:
        return
    figure, axes = panels(1, len(found), width=3.4)
    for axis, (name, record) in zip(axes.flat, found.items(), strict=True):
        for family, (colour, marker, label) in STYLES.items():
            some = [model for model in MODELS if MODELS[model].family == family]
            points = [(microseconds(record, model), error(record, model)) for model in some]
            axis.plot(*zip(*points), marker, color=colour, markersize=5, label=label)
        axis.set(title=SETS[name].title, xscale="log", xlabel="learning, µs per sample", ylim=0)
        plain_log(axis.xaxis)
    axes.flat[0].set_ylabel("test error, %")
    axes.flat[-1].legend(frameon=False, fontsize=8, loc="lower left")
    save(figure, folder / "local_errors.png")
