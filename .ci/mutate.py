"""Change one line of the package at a time, at random; the tests of the file have to fail.

``python .ci/mutate.py --seed 1 --n 120 --compiled 20`` prints a record for each file as JSON, and
each mutant on stderr; stopped, it prints the records so far. It works on a copy of the checkout,
whose extensions must be compiled. ``equivalent_mutants.txt`` explains mutants that change no
result; without mutants, the script checks that they and the table below are up to date.
"""

import argparse
import hashlib
import json
import multiprocessing
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXPLAINED = Path(__file__).with_name("equivalent_mutants.txt")
PACKAGE = ROOT / "sklearn_online_svm"
# Limit of the processor time of a test run, in seconds.
LIMIT = 100

# Files and their tests, both with wildcards. Comparisons with recorded fits are left out: they
# detect each change of a result, whether or not a test knows which one is right.
TARGETS = {
    "_core/linear/rules.* _core/linear/update_loop.pyx _core/linear/weights.pyx": (
        "reference/test_linear*.py core/test_update_loop.py linear/test_special_cases.py"
        " linear/test_weights.py linear/test_epochs.py linear/test_twin.py linear/test_advice.py"
        " active/test_label_efficient.py"
    ),
    "_core/linear/queries.*": "active/test_queries.py active/test_label_efficient.py",
    "_core/linear/local.pyx _core/linear/online_kmeans.pyx": "linear/test_local.py",
    "_core/linear/refinement.pyx": "linear/test_advice*.py",
    "_core/kernel/dual/lasvm.pyx _core/kernel/dual/slots.pyx _core/kernel/dual/problem.pyx": (
        "reference/test_lasvm.py core/test_solver_invariants.py core/test_s[eot]*[!s].py"
        " kernel/test_stream.py core/test_solver_steps.py core/test_targets.py"
    ),
    "_core/kernel/dual/engine.pyx _core/kernel/dual/stream.pyx": (
        "reference/test_lasvm.py core/test_s[eot]*[!s].py core/test_solver_invariants.py"
        " kernel/test_stream.py kernel/test_new_classes.py"
    ),
    "_core/kernel/dual/finisher.pyx": (
        "core/test_solver_invariants.py kernel/test_lasvc_svc.py kernel/test_working_sets.py"
        " kernel/test_path.py kernel/test_precision.py"
    ),
    "_core/kernel/dual/gap_driven.pyx _core/kernel/dual/admission.pyx": (
        "reference/test_gap_driven.py kernel/test_robust.py core/test_solver_invariants.py"
        " reference/test_ramp_svc.py"
    ),
    "_core/kernel/dual/one_class.pyx": "core/test_targets.py kernel/test_one_class.py",
    "_core/kernel/dual/selection.pyx kernel/_choice.py": (
        "core/test_selection.py kernel/test_selection.py active/test_pool.py kernel/test_stream.py"
    ),
    "_core/kernel/dual/eviction.pyx": "core/test_window.py kernel/test_window.py",
    "_core/kernel/dual/batch.p* _core/kernel/rows/gram_matrix.p* kernel/_optimum.py": (
        "core/test_batch.py kernel/test_optimum.py"
    ),
    "_core/kernel/dual/pairs.p*": (
        "kernel/test_one_vs_one.py kernel/test_one_vs_one_[fs]*.py reference/test_one_vs_one.py"
    ),
    "_core/kernel/dual/flat_states.pyx": "core/test_flat_states.py",
    "_core/class_order.pyx": "core/test_class_order.py",
    "_core/reservoir.pyx": "reference/test_reservoir.py",
    "kernel/_replay.py kernel/_joint.py": (
        "kernel/test_replay.py kernel/test_replay_streams.py kernel/test_replay_weights.py"
    ),
    "_core/kernel/expansion/*.pyx": (
        "reference/test_linear_steps.py kernel/test_kernel_[abr]*.py"
    ),
    "kernel/_targets.py": (
        "core/test_targets.py kernel/test_lasvr.py kernel/test_one_class.py"
        " kernel/test_new_classes.py kernel/test_one_vs_one.py kernel/test_errors.py"
        " kernel/test_convergence.py kernel/test_auto_epochs.py"
    ),
    "kernel/_epochs.py": (
        "kernel/test_auto_epochs.py kernel/test_progress.py kernel/test_selection.py"
        " kernel/test_robust.py kernel/test_lasvr.py kernel/test_convergence.py"
        " kernel/test_lasvc.py kernel/test_ramp_svc_cases.py"
    ),
    "kernel/_ramp_svc.py kernel/_convex.py": (
        "reference/test_ramp_svc.py kernel/test_progress.py kernel/test_ramp*.py"
    ),
    "kernel/_analysis/_path.py kernel/_analysis/_path_solver.py": "kernel/test_path.py",
    "kernel/_analysis/_compress*.py": "kernel/test_compression.py",
    "kernel/_analysis/_leave_one_out.py kernel/_analysis/_left_out.py kernel/_analysis/_span.py": (
        "kernel/test_leave_one_out.py kernel/test_lasvr_leave_one_out.py"
    ),
    "kernel/_analysis/_solution_view.py": "kernel/test_leave_one_out.py",
    "kernel/_analysis/_intervals.py": "kernel/test_intervals.py",
    "kernel/_kept_samples.py kernel/_analysis/_kept_values.py kernel/_analysis/_prob*.py": (
        "kernel/test_intervals.py kernel/test_probabilities.py"
    ),
    "kernel/_metric/*.py _core/kernel/manhattan.pyx": (
        "reference/test_kernel_metric.py core/test_manhattan.py kernel/test_kernel_metric.py"
    ),
    "linear/_state.py linear/_confidence_weighted.py linear/_passive_aggressive.py": (
        "reference/test_linear.py test_new_classes.py linear/test_s[pt]*.py linear/test_weights.py"
        " linear/test_attributes.py linear/test_epochs.py test_docstrings.py linear/test_local.py"
        " linear/test_limits.py"
    ),
    "model_selection/*.py": (
        "model_selection/test_[nr]*.py model_selection/test_scoring.py"
        " model_selection/test_progressive_search.py model_selection/test_streamed_search.py"
    ),
    "calibration/*.py": "calibration/*.py kernel/test_one_vs_one_probabilities.py",
    "readers/_svmlight.py": "readers/test_svmlight.py",
    "readers/_tables.py readers/_fit_stream.py": "readers/test_tables.py readers/test_fit*.py",
    "evaluation/_metrics.py": "evaluation/test_metrics.py",
    "evaluation/_conformal.py": "evaluation/test_conformal.py",
    "evaluation/_adaptive_quantile.py": (
        "evaluation/test_conformal.py evaluation/test_thresholds.py"
    ),
    "evaluation/_*threshold*.py evaluation/_cuts.py evaluation/_left_out_scores.py"
    " evaluation/_positive_class.py": "evaluation/test_thresholds.py",
    "evaluation/_progressive.py evaluation/_*statistics.py evaluation/_*result.py"
    " evaluation/_drift_reaction.py": (
        "evaluation/test_drift.py evaluation/test_progressive*.py evaluation/test_conformal.py"
    ),
    "cells/*.py": "cells/*.py",
    "_pairs.py": "test_pairs.py kernel/test_one_vs_one.py",
    "active/_similarities.py": "active/test_similarities.py",
}

PYTHON_SKIPPED = r'"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\\n])*"|#[^\n]*'
C_SKIPPED = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|^[ ]*#[^\n]*'
# Without strict=True: zip asserts equal lengths, which differ only after a fault of other lines.
TOKEN = re.compile(
    r"(?<= )(?:[<>=!]=|[<>+*/-]|[+*/-]=|&&|\|\||and|or)(?=[ \n])"
    r"|\b(?:f?min|f?max|minimum|maximum|(?<!strict=)True|False)\b|\bnot "
    r"|(?<![\w.])(?<!axis=)(?<!except -)(?:0\.5|[01]\.0|[01])(?![\w.])"
)
SWAPPED = dict(
    pair
    for a, b in [
        *(("<", "<="), (">", ">="), ("==", "!="), ("+", "-"), ("*", "/"), ("+=", "-=")),
        *(("*=", "/="), ("&&", "||"), ("and", "or"), ("min", "max"), ("fmin", "fmax")),
        *(("minimum", "maximum"), ("True", "False")),
    ]
    for pair in ((a, b), (b, a))
) | {"not ": "", "0": "1", "1": "2", "0.0": "1.0", "1.0": "2.0", "0.5": "0.6"}
STATEMENT = re.compile(r"^( *)(?:continue|break|[\w.\->\[\], ]+ [+*/-]= [^;]*[\w)\]])(;?)$")


def mutants(path):
    """Return the mutants of a file: path, number of the line, the line, and what it becomes."""
    text = path.read_text()
    skipped = C_SKIPPED if path.suffix == ".h" else PYTHON_SKIPPED
    # Strings and comments become as many blanks.
    code = re.sub(skipped, lambda found: re.sub(r"[^\n]", " ", found[0]), text, flags=re.S | re.M)
    made = []
    for number, (line, bare) in enumerate(zip(text.splitlines(), code.splitlines()), start=1):
        if re.match(r" *(from|import|cimport|cdef enum|prefer_skip\w*)\b", bare):
            continue
        for found in TOKEN.finditer(bare + "\n"):
            start, end = found.span()
            made.append((path, number, line, line[:start] + SWAPPED[found[0]] + line[end:]))
        if found := STATEMENT.match(bare.rstrip()):
            made.append((path, number, line, found[1] + (found[2] or "pass")))
    return made


def label(path, number, line, changed):
    """Return the mutant as a string."""
    return f"{path.relative_to(PACKAGE)}:{number}: {line.strip()} -> {changed.strip()}"


def key(path, number, line, changed):
    """Return what stays the same when other lines of the file change."""
    return str(path.relative_to(PACKAGE)), line.strip(), changed.strip()


def explanations():
    """Return the reasons why mutants change no result, by their keys."""
    blocks = EXPLAINED.read_text().strip().split("\n\n")
    parts = [block.split("\n", 3) for block in blocks if not block.startswith("#")]
    return {(path, old[2:], new[2:]): reason for path, old, new, reason in parts}


def targets():
    """Return each file, with the paths of its tests."""
    return {
        path: list(
            dict.fromkeys(
                str(test.relative_to(ROOT))
                for name in tests.split()
                for test in sorted((ROOT / "tests").glob(name))
                if test.name.startswith("test_")
            )
        )
        for names, tests in TARGETS.items()
        for name in names.split()
        for path in sorted(PACKAGE.glob(name))
        if path.suffix in (".py", ".pyx", ".pxd", ".h")
    }


def out_of_date(found):
    """Return the names of the table without a file, and explanations without a mutant."""
    known = {key(*mutant) for mutant in found}
    lost = [str(explained) for explained in explanations() if explained not in known]
    for folder, names in [(PACKAGE, TARGETS), (ROOT / "tests", TARGETS.values())]:
        lost += [name for name in " ".join(names).split() if not any(folder.glob(name))]
    return lost


class Copy:
    """A copy of the checkout, in which one file at a time is changed."""

    def __init__(self, folder, compiles):
        self.folder, self.original = Path(folder) / "copy", Path(folder) / "original"
        left_out = shutil.ignore_patterns(".*", "_build", "auto_examples", "examples")
        shutil.copytree(ROOT, self.folder, ignore=left_out)
        if compiles and not self._build():
            sys.exit("The extensions cannot be compiled.")
        # With what the compiler leaves behind, from which extensions are copied later.
        shutil.copytree(self.folder, self.original)

    def failure(self, tests, limit=LIMIT):
        """Return the test that fails, or None; a limit of processor time counts as a failure."""
        log = self.folder.with_name("log")
        child = multiprocessing.get_context("fork").Process(
            target=self._run, args=(tests, limit, log)
        )
        child.start()
        try:
            child.join(20 * limit)
        finally:
            if child.is_alive():
                os.killpg(child.pid, signal.SIGKILL)
                child.join()
        shutil.rmtree(self.folder / ".hypothesis", ignore_errors=True)
        failed = re.findall(r"^(?:FAILED|ERROR) (.+?)(?: - |$)", log.read_text(), re.M)
        return None if child.exitcode == 0 else [*failed, f"exit code {child.exitcode}"][0]

    def _run(self, tests, limit, log):
        os.setsid()
        os.chdir(self.folder)
        os.environ["PYTHONPATH"] = str(self.folder)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        for stream in (1, 2):
            os.dup2(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
        options = ["-x", "-q", "-mnot slow or sampled", "--tb=no", "-pno:cacheprovider"]
        os._exit(sys.modules["pytest"].main([*options, "--hypothesis-seed=0", *tests]))

    def change(self, path, number, line, changed):
        """Write a mutant; return whether it can be compiled."""
        lines = path.read_text().splitlines()
        text = "\n".join([*lines[: number - 1], changed, *lines[number:]]) + "\n"
        copied = self.folder / path.relative_to(ROOT)
        copied.write_text(text)
        if path.suffix == ".py":
            try:
                compile(text, path, "exec")
            except SyntaxError:
                return False
            return True
        if path.suffix != ".pyx":
            # With its old date, only what uses it is built again.
            shutil.copystat(path, copied)
            for source in (self.folder / PACKAGE.name).rglob("*.pyx"):
                if f"{path.stem} cimport" in source.read_text() or source.stem == path.stem:
                    source.touch()
        return self._build()

    def _build(self):
        build = [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace", "--parallel=1"]
        return subprocess.run(build, cwd=self.folder, capture_output=True).returncode == 0

    def restore(self, mutated, since):
        """Undo what was changed since a time, with the dates of the files."""
        shutil.copy2(mutated, self.folder / mutated.relative_to(ROOT))
        for path in self.folder.rglob("*"):
            if path.is_file() and path.stat().st_mtime >= since:
                original = self.original / path.relative_to(self.folder)
                if original.exists():
                    shutil.copy2(original, path)
                else:
                    path.unlink()


def survey(found, n, n_compiled, records):
    """Return a record for each file: its mutants, and those that no test detects."""
    records = {record["what"]: record for record in records}
    tests, reasons, left, failing = targets(), explanations(), {True: n, False: n_compiled}, set()
    os.environ |= {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}
    os.environ["SCIPY_ARRAY_API"] = "1"  # as tests/conftest.py, before SciPy is imported
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    # A process that has imported these is copied for each run.
    for name in ("pytest", "hypothesis", "sklearn.utils.estimator_checks"):
        import_module(name)
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(folder, compiles=n_compiled > 0)
        for mutant in found:
            path, is_python, start = mutant[0], mutant[0].suffix == ".py", time.time()
            if not left[is_python]:
                continue
            is_explained, failure = key(*mutant) in reasons, None
            try:
                valid = is_explained or copy.change(*mutant)
                if valid and not is_explained:
                    failure = copy.failure(tests[path])
            except KeyboardInterrupt:
                break
            finally:
                copy.restore(path, start)
            if not valid:
                continue
            left[is_python] -= 1
            what, text = str(path.relative_to(PACKAGE)), label(*mutant)
            new = {"what": what, "cases": 0, "failures": [], "killed": 0, "explained": 0}
            record = records.setdefault(what, new)
            record["failures"] = [one for one in record["failures"] if one != text]
            if failure:
                record["killed"] += 1
                failing |= {failure} if "::" in failure else set()
            elif is_explained:
                record["explained"] += 1
            else:
                record["failures"].append(text)
            record["cases"] = len(record["failures"]) + record["killed"] + record["explained"]
            outcome = failure or ("explained" if is_explained else "SURVIVES")
            print(text, outcome, sep="\n    ", file=sys.stderr, flush=True)
        if failure := failing and copy.failure(sorted(failing), 10 * LIMIT):
            sys.exit(f"{failure} fails without a change.")
    return [records[what] for what in sorted(records)]


def main():
    """Parse the arguments and print the records."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--n", type=int, default=0, help="mutants of Python files")
    parser.add_argument("--compiled", type=int, default=0, help="mutants of compiled files")
    parser.add_argument("--again", help="results, a file: test only those that survived there")
    arguments = parser.parse_args()
    found, before = [mutant for path in targets() for mutant in mutants(path)], []
    lost = out_of_date(found)
    if arguments.again:
        before = json.loads(Path(arguments.again).read_text())["records"]
        again = {failure for record in before for failure in record["failures"]}
        found = [mutant for mutant in found if label(*mutant) in again]
        arguments.n = arguments.compiled = len(found)
    if not (arguments.n or arguments.compiled):
        n_names = len(" ".join([*TARGETS, *TARGETS.values()]).split())
        n_cases = n_names + len(explanations())
        print(json.dumps([{"what": "names and lines", "cases": n_cases, "failures": lost}]))
        return
    if lost:
        sys.exit("\n".join(["Out of date:", *lost]))
    # Changes of other lines do not change the order; a line that is repeated is changed once.
    found = list({key(*mutant): mutant for mutant in reversed(found)}.values())
    found.sort(key=lambda mutant: hashlib.md5(f"{arguments.seed}{key(*mutant)}".encode()).digest())
    print(json.dumps(survey(found, arguments.n, arguments.compiled, before)))


if __name__ == "__main__":
    main()
