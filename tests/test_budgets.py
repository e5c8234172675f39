"""Limits of the number of lines of each part of the project, and of each file.

A change that needs more lines first looks for lines that can go. If there are none, it raises the
number here and says why in its commit.
"""

import pytest

from tests.support import ROOT

SUFFIXES = {".py", ".pyx", ".pxd", ".h"}
# Lines of code, comments and docstrings. A third of the package are docstrings, which are the
# reference; the tests are about as long as the code that they hold.
BUDGETS = {
    "sklearn_online_svm": 59_050,
    "tests": 59_950,
    "benchmarks": 13_100,
    "reliability": 5_000,
}
LONGEST = 450
# Longer files of the package, and why they are not divided.
ONE_SUBJECT = {
    "_core/kernel/dual/batch.pyx": "one solver of all binary problems at once",
    "_core/kernel/dual/engine.pyx": "the interface of the engine to Python",
    "_core/kernel/dual/finisher.pyx": "one optimization with its stages",
    "_core/kernel/dual/gap_driven.pyx": "one algorithm",
    "_core/kernel/dual/lasvm.pyx": "one algorithm",
    "_core/kernel/dual/problem.pyx": "the arrays of a problem and what keeps them consistent",
    "_core/kernel/dual/stream.pyx": "one loop over the samples",
    "_core/kernel/expansion/expansion.pyx": "a sum of kernels and the base of its budgets",
    "_core/kernel/rows/kernel_matrix.pyx": "cached and computed rows share their storage",
    "_core/kernel/vectors/support_set.pyx": "one data structure",
    "_core/reservoir.pyx": "one data structure",
    "_core/simd/primitives_linear.h": "a template, included for each type and instruction set",
    "_updates.py": "plan, fit and partial_fit of the state of one model",
    "active/_label_efficient.py": "a public class, mostly documentation",
    "calibration/_online.py": "a public class, mostly documentation",
    "callback.py": "five callbacks with one base",
    "evaluation/_thresholds.py": "a public function and its result, mostly documentation",
    "evaluation/_metrics.py": "four metrics with common checks, mostly documentation",
    "kernel/_analysis/_path_solver.py": "one algorithm",
    "kernel/_epochs.py": "when the passes of fit end",
    "kernel/_lasvr.py": "a public class, mostly documentation",
    "kernel/_targets.py": "three kinds of targets with one interface",
    "kernel/_training.py": "four calls that share a checkpoint",
    "linear/_advice.py": "a public class, mostly documentation",
    "linear/_state.py": "arrays and a loop that change together",
    "model_selection/_progressive_search.py": "a public class, a third of it documentation",
    "onnx.py": "one graph builder for all formulas",
    "pipeline.py": "a public class",
}
# Tests of one class or function, with the table of its cases: a second file would need the same
# table.
ONE_TABLE = {
    "active/test_oracle.py",
    "command_line/test_commands.py",
    "core/test_primitives.py",
    "evaluation/test_progressive.py",
    "evaluation/test_thresholds.py",
    "kernel/test_compression.py",
    "kernel/test_errors.py",
    "kernel/test_lasvc.py",
    "kernel/test_leave_one_out.py",
    "kernel/test_one_vs_one_formats.py",
    "kernel/test_path.py",
    "kernel/test_probabilities.py",
    "linear/test_advice.py",
    "linear/test_errors.py",
    "linear/test_local.py",
    "model_selection/test_progressive_search.py",
    "model_selection/test_streamed_search.py",
    "cells/test_cell_streams.py",
    "support/fuzz.py",
    "test_benchmarks.py",
    "test_callback.py",
    "test_export.py",
    "test_new_classes.py",
    "test_parameters.py",
    "test_pipeline.py",
}


def files(folder):
    """Return the number of lines of each source file, by its path below a folder."""
    sources = (path for path in (ROOT / folder).rglob("*") if path.suffix in SUFFIXES)
    # Headers that Cython writes are not sources.
    sources = [path for path in sources if not path.name.endswith("_api.h")]
    return {
        path.relative_to(ROOT / folder).as_posix(): len(path.read_bytes().splitlines())
        for path in sources
    }


@pytest.mark.parametrize("folder", BUDGETS)
def test_lines(folder):
    if not (ROOT / folder).is_dir():
        pytest.skip(f"{folder} is not part of the source distribution")
    assert sum(files(folder).values()) <= BUDGETS[folder]


@pytest.mark.parametrize(
    ("folder", "exceptions"),
    [
        ("sklearn_online_svm", set(ONE_SUBJECT)),
        ("tests", ONE_TABLE),
        # The comparison with peers, with the tables of the README.
        ("benchmarks", {"studies/svc.py"}),
    ],
)
def test_long_files_are_named(folder, exceptions):
    if not (ROOT / folder).is_dir():
        pytest.skip(f"{folder} is not part of the source distribution")
    assert {path for path, n in files(folder).items() if n > LONGEST} == exceptions
