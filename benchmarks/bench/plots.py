"""What all figures have in common."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator


def panels(n_rows, n_columns, width=4.0, height=3.2):
    """A figure with a grid of axes."""
    figure, axes = plt.subplots(
        n_rows, n_columns, figsize=(width * n_columns, height * n_rows), squeeze=False
    )
    for axis in axes.flat:
        axis.spines[["top", "right"]].set_visible(False)
        axis.grid(True, which="major", color="#e6e8eb", linewidth=0.8)
        axis.set_axisbelow(True)
    return figure, axes


def save(figure, path, *, tight=True):
    """Write and close a figure, with a tight layout unless it has one."""
    if tight:
        figure.tight_layout()
    figure.savefig(path, dpi=120)
    plt.close(figure)


def legend_below(figure, axis, n_columns, inches=0.5):
    """One legend for all panels, from the labels of one of them; its layout needs no `tight`."""
    figure.tight_layout(rect=(0, inches / figure.get_figheight(), 1, 1))
    handles, names = axis.get_legend_handles_labels()
    figure.legend(handles, names, loc="lower center", ncols=n_columns, frameon=False)


def plain_log(axis, subs=(1,)):
    """A logarithmic axis with numbers instead of powers of ten."""
    axis.axes.set(**{f"{axis.axis_name}scale": "log"})
    axis.set_major_locator(LogLocator(subs=subs, numticks=20))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
