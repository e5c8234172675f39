"""``tune``: search for parameters."""

import logging

from sklearn.base import clone, is_classifier

from .._optional import import_optional
from ..export import save_model
from ..model_selection import ProgressiveSearch
from ._options import (
    HelpFormatter,
    UsageError,
    add_data_options,
    add_model_options,
    check_outputs,
    set_params,
    training_data,
    values,
)

__all__ = ["add_parser"]

_LOGGER = logging.getLogger(__package__)
_EPILOG = """\
All combinations of the values are trained on a few samples, and the best ones on more and more.
A quarter of the samples, at most 5000, is held out for the scores. The winner is finally trained
on all samples. The samples are loaded and shuffled.

The table has a line for each combination: its score, and the number of samples it was trained on.

example:
  python -m sklearn_online_svm tune a9a -g C=0.1,1,10,100 -g gamma=0.01,0.03,0.1,0.3 -o a9a.skops
"""


def add_parser(commands):
    """Add the command to the subparsers of ``commands``."""
    parser = commands.add_parser(
        "tune",
        help="search for the best parameters",
        description="Search for the best parameters of a model and store the best model.",
        epilog=_EPILOG,
        formatter_class=HelpFormatter,
    )
    parser.set_defaults(run=run, parser=parser)
    parser.add_argument(
        "data", nargs="+", metavar="DATA", help="data files, read one after another"
    )
    group = parser.add_argument_group("search")
    group.add_argument(
        "-g",
        dest="grid",
        action="append",
        type=values,
        required=True,
        metavar="NAME=VALUE,...",
        help="values of a parameter; may be repeated",
    )
    output = parser.add_argument_group("output")
    output.add_argument("-o", "--output", metavar="FILE", help="model file for the best model")
    output.add_argument("--quiet", action="store_true", help="report nothing but errors")
    add_model_options(parser)
    add_data_options(parser, of_training=True)


def run(args):
    """Run the command."""
    if args.output is not None:
        check_outputs([args.output], args.data)
        import_optional("skops.io", "--output")  # not only after the search
    data, model = training_data(args)
    if not hasattr(model, "partial_fit"):
        raise UsageError(f"{args.model} has no partial_fit, which a search needs")
    prefix = "model__" if args.scale else ""
    grid = {prefix + name: listed for name, listed in args.grid}
    for name, listed in args.grid:
        for value in listed:
            candidate = clone(model[-1] if args.scale else model)
            set_params(candidate, {name: value})
            if not hasattr(candidate, "partial_fit"):
                raise UsageError(f"{name}={value} has no partial_fit, which a search needs")
    X, y = data.load(is_classification=is_classifier(model))
    _LOGGER.info("%d samples with %d features", *X.shape)
    search = ProgressiveSearch(model, grid, random_state=args.seed).fit(X, y)
    if not args.quiet:
        _print_table(search, prefix)
    if args.output is not None:
        save_model(search.best_estimator_, args.output)


def _print_table(search, prefix):
    """Print the last line of each candidate, the best ones first."""
    results = search.cv_results_
    last = {number: line for line, number in enumerate(results["candidate"])}
    last[results["candidate"][search.best_index_]] = search.best_index_
    order = sorted(
        last.values(),
        key=lambda line: (line != search.best_index_, results["rank_test_score"][line]),
    )
    names = [name.removeprefix(prefix) for name in results["params"][0]]
    print("  ".join(f"{name:>10}" for name in ("score", "samples", *names)))
    for line in order:
        score, n_samples = results["mean_test_score"][line], results["n_resources"][line]
        shown = [f"{score:.4f}", str(n_samples), *map(str, results["params"][line].values())]
        print("  ".join(f"{value:>10}" for value in shown))
