"""Report of the demo: one HTML file, and its figures in the same folder."""

import base64
import html
import os
import platform
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from string import Template

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

COLOURS = {"LASVC": "#1f6feb", "SVC": "#d1702a", "SGDClassifier": "#8b949e"}
PACKAGES = ("sklearn-online-svm", "scikit-learn", "numpy", "scipy")


def environment():
    """Return date, versions and hardware."""
    versions = {"Python": platform.python_version()}
    for name in PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = "not installed"
    return {
        "date": datetime.now().strftime("%Y-%m-%d %H:%M"),
        "versions": versions,
        "cores": os.cpu_count(),
        "machine": f"{platform.system()}, {platform.machine()}",
    }


def write_report(outcomes, about, folder):
    """Write the figures and the page; return the path of the page."""
    overview = _draw_overview(outcomes, folder / "overview.png")
    curves = [_draw_curves(outcome, folder / f"curve_{outcome.name}.png") for outcome in outcomes]
    page = folder / "index.html"
    page.write_text(
        PAGE.substitute(
            cards="\n".join(map(_card, outcomes)),
            rows="\n".join(map(_rows, outcomes)),
            overview=_image(overview, "fit and predict time of the three models"),
            curves="\n".join(
                _image(path, f"test error during training on {outcome.title} as a stream")
                for path, outcome in zip(curves, outcomes)
            ),
            reading=_reading(outcomes, about),
            footer=_footer(about),
        ),
        encoding="utf-8",
    )
    return page


# ---------------------------------------------------------------------------
# Figures
# ---------------------------------------------------------------------------


def _plain(axis):
    axis.spines[["top", "right"]].set_visible(False)
    axis.grid(True, color="#e6e8eb", linewidth=0.8)
    axis.set_axisbelow(True)


def _save(figure, path):
    figure.tight_layout()
    figure.savefig(path, dpi=130)
    plt.close(figure)
    return path


def _short(title):
    return title.split(" (")[0].split(",")[0]


def _with_rows(outcome):
    """Name of a data set, with the number of samples of SVC if it is not the full set."""
    svc = outcome.scores[1]
    note = "" if svc.rows == outcome.n_train else f"\n(SVC: {svc.rows:,} samples)"
    return _short(outcome.title) + note


def _draw_overview(outcomes, path):
    """Draw bars of fit and predict times, one group for each data set."""
    figure, axes = plt.subplots(1, 2, figsize=(11, 0.55 * len(outcomes) + 1.8), sharey=True)
    places = np.arange(len(outcomes))
    for axis, what in zip(axes, ("fit", "predict")):
        for i, (model, colour) in enumerate(COLOURS.items()):
            times = [getattr(outcome.scores[i], f"{what}_seconds") for outcome in outcomes]
            axis.barh(places + 0.25 * (i - 1), times, 0.25, color=colour, label=model)
        _plain(axis)
        axis.set_xscale("log")
        axis.set_xlabel(f"{what} time (s, logarithmic)")
    axes[0].set_yticks(places, map(_with_rows, outcomes))
    axes[0].invert_yaxis()
    handles = axes[0].get_legend_handles_labels()
    figure.legend(*handles, loc="upper center", ncols=3, frameon=False)
    figure.tight_layout(rect=(0, 0, 1, 1 - 0.35 / figure.get_figheight()))
    figure.savefig(path, dpi=130)
    plt.close(figure)
    return path


def _draw_curves(outcome, path):
    """Draw the test error against the number of training samples, and the error of SVC."""
    figure, axis = plt.subplots(figsize=(5.4, 3.6))
    for curve in outcome.curves:
        colour = COLOURS[curve.model]
        axis.plot(curve.rows, 100 * np.array(curve.errors), color=colour, label=curve.model)
        if curve.finished_error is not None:
            point = (curve.rows[-1], 100 * curve.finished_error)
            axis.plot(*point, "o", color=colour, label="LASVC after finish()")
    svc = outcome.scores[1]
    only = "all" if svc.rows == outcome.n_train else f"first {svc.rows:,}"
    label = f"SVC, {only} samples"
    axis.axhline(100 * svc.curve_error, color=COLOURS["SVC"], linestyle="--", label=label)
    _plain(axis)
    axis.set_ylim(bottom=0)
    axis.set(title=outcome.title, xlabel="training samples", ylabel="test error (%)")
    axis.title.set_fontsize(11)
    axis.legend(fontsize=8, facecolor="white", edgecolor="none", framealpha=0.85)
    return _save(figure, path)


def _image(path, text):
    data = base64.b64encode(path.read_bytes()).decode("ascii")
    return f'<img src="data:image/png;base64,{data}" alt="{html.escape(text)}">'


# ---------------------------------------------------------------------------
# Text
# ---------------------------------------------------------------------------


def _seconds(value):
    if value < 0.1:
        return f"{1000 * value:.1f} ms"
    return f"{value:.2f} s" if value < 10 else f"{value:.0f} s"


def _count(value):
    return "–" if value is None else f"{value:,}".replace(",", "&#8239;")


def _faster(ratio):
    return f"{ratio:.1f}×" if ratio < 10 else f"{ratio:.0f}×"


def _card(outcome):
    """Summarize the comparison on one data set."""
    lasvc, svc = outcome.scores[:2]
    errors = f"error {lasvc.error:.2%}, SVC {svc.error:.2%}"
    if svc.rows == lasvc.rows:
        headline = f"fit {_faster(svc.fit_seconds / lasvc.fit_seconds)}"
        predict = f"predict {_faster(svc.predict_seconds / lasvc.predict_seconds)}"
    else:
        # Ratios need models with the same training samples.
        headline = f"{_count(lasvc.rows)} samples in {_seconds(lasvc.fit_seconds)}"
        predict = f"SVC: {_count(svc.rows)} samples in {_seconds(svc.fit_seconds)}"
    return (
        f'<div class="card"><h3>{html.escape(_short(outcome.title))}</h3>'
        f'<p class="big">{headline}</p><p>{predict}</p><p>{errors}</p></div>'
    )


def _rows(outcome):
    """The table rows of one data set."""
    about = (
        f"{_count(outcome.n_train)} × {_count(outcome.n_features)}, "
        f"{outcome.n_classes} classes, C={outcome.C:g}, γ={outcome.gamma:g}"
    )
    lines = []
    for i, score in enumerate(outcome.scores):
        head = ""
        if i == 0:
            title = html.escape(outcome.title)
            head = f'<th rowspan="{len(outcome.scores)}">{title}<small>{about}</small></th>'
        only = "" if score.rows == outcome.n_train else f" (first {_count(score.rows)} samples)"
        cells = [
            _seconds(score.fit_seconds),
            _seconds(score.predict_seconds),
            f"{score.error:.2%}",
            _count(score.n_support),
            _count(score.n_kernel_evaluations),
        ]
        numbers = "".join(f"<td>{cell}</td>" for cell in cells)
        kind = ' class="own"' if score.model == "LASVC" else ""
        lines.append(f'<tr{kind}>{head}<td class="model">{score.model}{only}</td>{numbers}</tr>')
    return "<tbody>" + "\n".join(lines) + "</tbody>"


def _reading(outcomes, about):
    """Notes on the protocol and the limits of the results."""
    parts = [
        "Each model is fitted once. Times have an uncertainty of perhaps ten per cent; times of a "
        "few milliseconds are not reliable.",
        f"LASVC and SVC have the same parameters and {about['cache_size']} MB of kernel cache. "
        "Up to 5000 samples, LASVC finds the optimum of the SVM (one-vs-rest for several "
        "classes). With more samples it mostly makes <em>one</em> pass over the samples and then "
        "optimizes over the support set. The result is close to the optimum "
        "(<code>max_iter=-1</code> reaches it), so its error may be slightly above or below that "
        "of SVC.",
        f"LASVC may use all {about['cores']} cores: for the classes of a multiclass problem, and "
        "through BLAS. SVC has one thread. <code>make bench</code> measures with equal numbers of "
        "threads, three seeds and further models.",
        "SGDClassifier is a linear model with default parameters. It is much faster, and as "
        "accurate where a linear decision boundary is sufficient. Try it first.",
        "The curves, and the line of SVC, are computed on at most a few thousand test samples, so "
        "their errors differ slightly from those in the table. LASVC predicts between chunks with "
        "a finished copy of its solution, which does not change the training. The dot is the "
        "model after <code>finish()</code>.",
        "SVC does not report its number of kernel evaluations.",
    ]
    if any(outcome.scores[1].rows != outcome.n_train for outcome in outcomes):
        parts.append(
            "Where the table says “first ... samples”, SVC was trained on these only, to keep the "
            "demo short: its times and its error are not those of the full data set. "
            "<code>make demo DATA=mnist</code> trains both on all samples."
        )
    if about["missing"]:
        parts.append(
            f"Data sets not found on this machine: {', '.join(about['missing'])}. Put their npz "
            "files into a folder and set the environment variable <code>SOSVM_DATA</code> to it."
        )
    return "\n".join(f"<li>{part}</li>" for part in parts)


def _footer(about):
    versions = ", ".join(f"{name} {number}" for name, number in about["versions"].items())
    return html.escape(
        f"{about['date']} · {about['machine']}, {about['cores']} cores · {versions} · "
        f"measured in {about['seconds']:.0f} s"
    )


PAGE = Template("""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>LASVC compared with SVC and SGDClassifier</title>
<style>
  :root { --ink: #1f2328; --soft: #59636e; --line: #d9dee3; --own: #1f6feb; --wash: #f6f8fa; }
  * { box-sizing: border-box; }
  body { margin: 0; background: var(--wash); color: var(--ink);
         font: 16px/1.55 system-ui, "Segoe UI", Roboto, Helvetica, Arial, sans-serif; }
  main { max-width: 1120px; margin: 0 auto; padding: 2.5rem 1.25rem; }
  h1 { font-size: 1.9rem; margin: 0 0 .25rem; } h2 { font-size: 1.25rem; margin: 0 0 1rem; }
  .lead, footer, small { color: var(--soft); }
  section { background: #fff; border: 1px solid var(--line); border-radius: 12px;
            padding: 1.5rem; margin: 1.5rem 0; overflow-x: auto; }
  .cards { display: grid; gap: 1rem; margin: 1.5rem 0;
           grid-template-columns: repeat(auto-fill, minmax(215px, 1fr)); }
  .card { background: #fff; border: 1px solid var(--line); border-radius: 12px; padding: 1rem; }
  .card h3 { margin: 0; font-size: .95rem; color: var(--soft); font-weight: 600; }
  .card p { margin: 0; font-size: .9rem; }
  .card .big { font-size: 1.45rem; font-weight: 700; color: var(--own); margin: .2rem 0; }
  table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
  th, td { padding: .45rem .7rem; text-align: right; white-space: nowrap; }
  thead th { color: var(--soft); font-size: .85rem; border-bottom: 2px solid var(--line); }
  tbody { border-bottom: 1px solid var(--line); }
  tbody th, thead th:first-child, .model, thead th:nth-child(2) { text-align: left; }
  tbody th { font-weight: 600; vertical-align: top; white-space: normal; min-width: 14rem; }
  small { display: block; font-weight: 400; }
  tr.own td { background: #eef5ff; font-weight: 600; }
  img { max-width: 100%; height: auto; display: block; }
  .curves { display: grid; gap: 1rem;
            grid-template-columns: repeat(auto-fill, minmax(330px, 1fr)); }
  li { margin: .35rem 0; }
  code { background: var(--wash); padding: .1em .3em; border-radius: 4px; }
</style>
</head>
<body>
<main>
<h1>LASVC compared with SVC and SGDClassifier</h1>
<p class="lead">A kernel SVM that is trained one sample at a time and updated with
<code>partial_fit</code>. Ratios are the time of SVC divided by that of LASVC.</p>
<div class="cards">
$cards
</div>
<section>
<h2>Results</h2>
<table>
<thead><tr><th>data</th><th>model</th><th>fit</th><th>predict</th><th>test error</th>
<th>support vectors</th><th>kernel evaluations</th></tr></thead>
$rows
</table>
</section>
<section><h2>Time</h2>$overview</section>
<section><h2>Error during the stream</h2><div class="curves">$curves</div></section>
<section><h2>Notes</h2><ul>
$reading
</ul></section>
<footer>$footer</footer>
</main>
</body>
</html>
""")
