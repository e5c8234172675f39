"""The groups in which the page of a class lists its parameters, if it has many.

Docstrings list parameters in the order of the signature; only the built pages have groups.
"""

# Classes with more parameters than this list them in groups.
MOST_WITHOUT_GROUPS = 8

# In the order of the pages. Within a group, parameters keep the order of the docstring.
GROUPS = {
    # Groups of the searches.
    "Candidates": ["estimator", "param_grid", "n_candidates"],
    "Scores": ["scoring", "cv", "refit", "select", "error_score"],
    "Budget and rungs": ["max_cost", "min_resources", "max_resources"],
    # Groups of the models.
    "Advice": ["advice", "advice_weight", "initial_weights", "refine"],
    "Model": [
        "C", "nu", "epsilon", "loss", "ramp_s", "r", "a", "eta", "lam",
        "margin", "positive_margin", "negative_margin", "pos_label",
        "variant", "covariance", "average", "multi_class", "decision_function_shape", "break_ties",
        "class_weight",
        "n_prototypes", "minority_class", "n_neighbors", "n_virtual",
        "fit_intercept", "intercept_scaling", "probability", "intervals",
    ],
    "Costs of errors": ["costs", "sensitivity_weight", "rule"],
    "Kernel": ["kernel", "degree", "gamma", "coef0"],
    "Selection of samples": [
        "selection", "pool_size", "max_labels", "stopping", "stopping_window",
    ],
    "Support vector budget and forgetting": [
        "max_support_vectors", "budget_policy", "window_size", "forgetting_factor",
    ],
    "Optimization and stopping": [
        "algorithm", "max_iter", "init_size", "delta_max", "finishing", "shrinking", "tol",
        "early_stopping", "validation_fraction", "n_iter_no_change", "warm_start",
    ],
    "Computation": ["shuffle", "random_state", "n_jobs", "cache_size", "replay_size", "verbose"],
}  # fmt: skip

GROUP_OF = {name: group for group, names in GROUPS.items() for name in names}


def group_parameters(parameters):
    """Return pairs of a group and its parameters, as read by numpydoc, without empty groups."""
    members = {group: [] for group in GROUPS}
    for parameter in parameters:
        # One description may belong to several parameters: "slopes_, intercepts_".
        members[GROUP_OF[parameter.name.split(",")[0]]].append(parameter)
    return [(group, found) for group, found in members.items() if found]


def parameter_list(doc, write):
    """Return the lines of the parameter list of a class, with a heading for each group.

    Parameters
    ----------
    doc : numpydoc.docscrape_sphinx.SphinxClassDoc
        The docstring of the class.
    write : callable
        ``write(doc, "Parameters")`` returns a field list: its name and an empty line, then the
        definitions of all parameters of ``doc``.

    Returns
    -------
    lines : list of str
        A field list with the same definitions.
    """
    parameters = doc["Parameters"]
    lines = write(doc, "Parameters")
    if len(parameters) <= MOST_WITHOUT_GROUPS:
        return lines
    lines = lines[:2]
    for group, members in group_parameters(parameters):
        doc["Parameters"] = members
        lines += [f"    .. rubric:: {group}", "", *write(doc, "Parameters")[2:]]
    doc["Parameters"] = parameters
    return lines
