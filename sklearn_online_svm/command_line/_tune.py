"""``tune``: search for parameters."""

from ..export import save_model
from ..model_selection import ProgressiveSearch
from ._options import (
    UsageError,
    add_data_options,
    add_model_options,
    assignment,
    check_outputs,
    literal,
    loaded,
    model_of,
    needs_kernel_values,
    training_data,
)


def add_parser(commands):
    """Add the command to the subparsers of ``commands``."""
    parser = commands.add_parser(
        "tune",
        help="search for the best parameters",
        description="Search for the best parameters of a model, and store the best model, trained "
        "on all samples. The best candidates are compared by three folds, or above 8000 samples "
        "on a quarter of them, at most 5000.",
    )
    parser.set_defaults(run=run)
    add_data_options(parser)
    add_model_options(parser)
    parser.add_argument(
        "-g",
        dest="grid",
        action="append",
        type=assignment,
        required=True,
        metavar="NAME=VALUE,...",
        help="values of a parameter; may be repeated",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="model file for the best model")


def run(args):
    """Run the command."""
    if args.output is not None:
        check_outputs([args.output], args.data)
    data, model = training_data(args)
    grid = {name: [*map(literal, values.split(","))] for name, values in args.grid}
    for name, values in grid.items():
        for value in values:
            if needs_kernel_values(model_of(args, data, {name: value})):
                raise UsageError("tune does not search with kernel='precomputed'")
    prefix = "model__" if args.scale else ""
    X, y = loaded(data, model)
    search = ProgressiveSearch(
        model, {prefix + name: values for name, values in grid.items()}, random_state=args.seed
    )
    with data.named_in_errors():
        search.fit(X, y)
    if not args.quiet:
        _print_table(search)
    if args.output is not None:
        save_model(search.best_estimator_, args.output)


def _print_table(search):
    """Print the last line of each candidate, the best ones first."""
    results = search.cv_results_
    last = {number: line for line, number in enumerate(results["candidate"])}
    names = [name.removeprefix("model__") for name in search.best_params_]
    table = [("score", "samples", *names)]
    for line in sorted(
        last.values(),
        key=lambda line: (line != search.best_index_, results["rank_test_score"][line]),
    ):
        score, n_samples = results["mean_test_score"][line], results["n_resources"][line]
        table.append((f"{score:.4f}", n_samples, *results["params"][line].values()))
    for fields in table:
        print("  ".join(f"{field!s:>10}" for field in fields))
