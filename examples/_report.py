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
    times = [
        _image(_draw_times(outcomes, what, folder / f"{what}.png"), f"{what} time of the models")
        for what in ("fit", "predict")
    ]
    curves = [_draw_curves(outcome, folder / f"curve_{outcome.name}.png") for outcome in outcomes]
    page = folder / "index.html"
    page.write_text(
        PAGE.substitute(
            cards="\n".join(map(_card, outcomes)),
            rows="\n".join(map(_rows, outcomes)),
            times="\n".join(times),
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


def _named(outcome, n_samples):
    return f"{_short(outcome.title)}\n{n_samples:,} samples"


def _draw_times(outcomes, what, path):
    """Draw bars of fit or predict times: all models with the same samples, then larger sets."""
    larger = [outcome for outcome in outcomes if outcome.larger]
    groups = [(_named(o, o.scores[0].rows), o.scores) for o in outcomes]
    groups += [(_named(o, o.n_train), o.larger) for o in larger]
    figure, axis = plt.subplots(figsize=(5.4, 0.62 * len(groups) + 1.6))
    labelled = set()
    for place, (_, scores) in enumerate(groups):
        for score in scores:
            offset = 0.25 * (list(COLOURS).index(score.model) - 1)
            label = None if score.model in labelled else score.model
            labelled.add(score.model)
            seconds, colour = getattr(score, f"{what}_seconds"), COLOURS[score.model]
            axis.barh(place + offset, seconds, 0.25, color=colour, label=label)
    if larger:
        axis.axhline(len(outcomes) - 0.5, color="#59636e", linewidth=0.8, linestyle=":")
    _plain(axis)
    axis.set_xscale("log")
    axis.set(title=f"{what} time in seconds")
    axis.set_yticks(range(len(groups)), [name for name, _ in groups])
    axis.invert_yaxis()
    handles = axis.get_legend_handles_labels()
    figure.legend(*handles, loc="lower center", ncols=3, frameon=False)
    figure.tight_layout(rect=(0, 0.35 / figure.get_figheight(), 1, 1))
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
    label = f"SVC, {'all' if svc.rows == outcome.n_train else f'{svc.rows:,}'} samples"
    axis.axhline(100 * svc.curve_error, color=COLOURS["SVC"], linestyle="--", label=label)
    _plain(axis)
    axis.set_ylim(bottom=0)
    axis.set(title=outcome.title, xlabel="training samples", ylabel="test error (%)")
    axis.title.set_fontsize(11)
    axis.legend(fontsize=10, facecolor="white", edgecolor="none", framealpha=0.85)
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
    headline = f"fit {_faster(svc.fit_seconds / lasvc.fit_seconds)}"
    lines = [f"predict {_faster(svc.predict_seconds / lasvc.predict_seconds)}", errors]
    if outcome.larger:
        more = outcome.larger[0]
        lines.append(
            f"LASVC, {_count(more.rows)} samples: {_seconds(more.fit_seconds)}, "
            f"error {more.error:.2%}"
        )
    text = "".join(f"<p>{line}</p>" for line in lines)
    return (
        f'<div class="card"><h3>{html.escape(_short(outcome.title))}</h3>'
        f'<small>{_count(lasvc.rows)} samples</small><p class="big">{headline}</p>{text}</div>'
    )


def _rows(outcome):
    """The table rows of one data set."""
    about = (
        f"{_count(outcome.n_features)} features, {outcome.n_classes} classes, "
        f"{_count(outcome.n_test)} test samples, C={outcome.C:g}, γ={outcome.gamma:g}"
    )
    title = html.escape(outcome.title)
    lines = [f'<tr><th colspan="7">{title}<small>{about}</small></th></tr>']
    for score in outcome.scores + outcome.larger:
        cells = [
            (_count(score.rows), ""),
            (_seconds(score.fit_seconds), ""),
            (_seconds(score.predict_seconds), ""),
            (f"{score.error:.2%}", ""),
            (_count(score.n_support), " class=wide"),
            (_count(score.n_kernel_evaluations), " class=wide"),
        ]
        numbers = "".join(f"<td{kind}>{cell}</td>" for cell, kind in cells)
        kind = ' class="own"' if score.model == "LASVC" else ""
        lines.append(f'<tr{kind}><td class="model">{score.model}</td>{numbers}</tr>')
    return "<tbody>" + "\n".join(lines) + "</tbody>"


def _reading(outcomes, about):
    """Notes on the protocol and the limits of the results."""
    parts = [
        "Each model is fitted once. Times have an uncertainty of perhaps ten per cent; times of a "
        "few milliseconds are not reliable.",
        f"LASVC and SVC have the same parameters and {about['cache_size']} MB of kernel cache. "
        "Up to 5000 samples, LASVC finds the optimum of the SVM. With more samples it mostly "
        "makes <em>one</em> pass over the samples and then optimizes over the support set. The "
        "result is close to the optimum (<code>max_iter=-1</code> reaches it), so its error may "
        "be slightly above or below that "
        "of SVC.",
        f"LASVC may use all {about['cores']} cores: for the binary problems of several classes, "
        "and through BLAS. SVC has one thread. <code>make bench</code> measures with equal "
        "numbers of threads, three seeds and further models.",
        "SGDClassifier is a linear model with default parameters. It is much faster, and as "
        "accurate where a linear decision boundary is sufficient. Try it first.",
        "The curves, and the line of SVC, are computed on at most a few thousand test samples, so "
        "their errors differ slightly from those in the table. LASVC predicts between chunks with "
        "a finished copy of its solution, which does not change the training. The dot is the "
        "model after <code>finish()</code>.",
        "SVC does not report its number of kernel evaluations.",
    ]
    if any(outcome.larger for outcome in outcomes):
        parts.append(
            "To keep the demo short, models are compared on a part of the larger sets, and SVC "
            "is not trained on more. <code>make demo DATA=mnist</code> trains all models on all "
            "samples."
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
  tbody th, thead th:first-child, .model { text-align: left; }
  tbody th { font-weight: 600; white-space: normal; padding-top: 1rem; }
  small { display: block; font-weight: 400; }
  tr.own td { background: #eef5ff; font-weight: 600; }
  img { max-width: 100%; height: auto; display: block; }
  .curves { display: grid; gap: 1rem;
            grid-template-columns: repeat(auto-fill, minmax(330px, 1fr)); }
  li { margin: .35rem 0; }
  @media (max-width: 600px) {
    main { padding: 1rem .5rem; } section { padding: 1rem .75rem; }
    .wide { display: none; } th, td { padding: .4rem .3rem; font-size: .85rem; }
    .curves { grid-template-columns: minmax(0, 1fr); }
  }
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
<thead><tr><th>model</th><th>samples</th><th>fit</th><th>predict</th><th>error</th>
<th class=wide>support vectors</th><th class=wide>kernel evaluations</th></tr></thead>
$rows
</table>
</section>
<section><h2>Time</h2>
<p>All bars of a group are for the same samples. Below the dotted line: more samples, without
SVC.</p>
<div class="curves">$times</div></section>
<section><h2>Error during the stream</h2><div class="curves">$curves</div></section>
<section><h2>Notes</h2><ul>
$reading
</ul></section>
<footer>$footer</footer>
</main>
</body>
</html>
""")
