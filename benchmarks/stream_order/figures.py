"""Figure of `stream_order`: test error along streams that are sorted by class."""

from ..bench.plots import legend_below, panels, save
from ..bench.summary import measured
from .sets import SETS

# Okabe and Ito's colours, which the colour-blind can tell apart.
STYLES = {
    "shuffled": ("#8b949e", "--", "LASVC, shuffled"),
    "lasvc": ("#0072b2", "-", "LASVC"),
    "off": ("#56b4e9", "-", "LASVC, replay_size=0"),
    "sgd": ("#d55e00", "-", "SGDClassifier"),
    "arow": ("#009e73", "-", "KernelAROWClassifier"),
}


def draw_along(results, folder):
    """Draw a panel for each set."""
    records = measured("stream_order_along", results).records
    figure, (axes,) = panels(1, len(records), width=3.6)
    for axis, record in zip(axes, records, strict=True):
        for key, (colour, line, label) in STYLES.items():
            seen, error = zip(*record["runs"][0]["curves"][key], strict=True)
            axis.plot(seen, [100 * value for value in error], line, color=colour, label=label)
        axis.set_title(f"{SETS[record['set']].title}, test error (%)", loc="left", fontsize=10)
        axis.set(xlabel="samples", ylim=(0, None))
    legend_below(figure, axes[0], 5)
    save(figure, folder / "stream_order_along.png", tight=False)
