"""From a file to a trained linear model: one pass, beside Vowpal Wabbit on the same samples."""

import os
import tempfile
from importlib import import_module
from pathlib import Path

import numpy as np

from sklearn_online_svm import AROWClassifier, PassiveAggressiveClassifier
from sklearn_online_svm.readers import fit_stream, read_parquet, read_svmlight

from ..bench.measure import Clock, PeakMemory

N_BLOCK = 10_000
# Number of features, and of values that are not 0.
SHAPES = {"dense": (100, 100), "sparse": (3_000_000, 80)}
N_TRAIN = 1_000_000
MODELS = {
    "pa": lambda: PassiveAggressiveClassifier(),
    "arow": lambda: AROWClassifier(),
}
RUNS = {
    "dense": [(model, "text") for model in ("vw", "pa", "arow")]
    + [(model, "parquet") for model in ("pa", "arow")],
    "sparse": [(model, "text") for model in ("vw", "pa", "arow")],
}
# Bits of the hash, so that all features of the sparse samples have a weight of their own.
VW_OPTIONS = "--quiet --loss_function hinge -b 22"


def folder():
    """Return where the files are; they are kept for the tasks of one run."""
    path = Path(os.environ.get("SOSVM_BENCH_FILES", tempfile.gettempdir()), "sosvm_bench_files")
    path.mkdir(exist_ok=True)
    return path


def _blocks(kind, n_samples, seed):
    """Yield columns, values in thousandths and labels of blocks of samples."""
    n_features, n_values = SHAPES[kind]
    random = np.random.default_rng(seed)
    weights = np.random.default_rng(0).normal(size=n_features)
    for first in range(0, n_samples, N_BLOCK):
        n = min(N_BLOCK, n_samples - first)
        if kind == "dense":
            columns = np.broadcast_to(np.arange(n_values), (n, n_values))
        else:
            # Frequent features have small numbers, as words of a text.
            columns = np.sort((n_features * random.random((n, n_values)) ** 4).astype(int), axis=1)
            # Equal ones in a sample are shifted.
            columns = np.maximum.accumulate(columns - np.arange(n_values), axis=1)
            columns = np.minimum(columns, n_features - n_values) + np.arange(n_values)
        values = np.clip((1000 * random.normal(size=columns.shape)).astype(int), -3000, 3000)
        values[values == 0] = 1
        margins = (values * weights[columns]).sum(axis=1)
        flipped = random.random(n) < 0.05
        yield columns, values, np.where((margins > 0) ^ flipped, 1, -1)


def write_files(job):
    """Write the samples for all models; return the sizes of the files."""
    import pandas

    name = _name(job)
    numbers = [f"{value / 1000:g}" for value in range(-3000, 3001)]
    writer = None
    with open(name(".svm"), "w") as svm, open(name(".vw"), "w") as vw:
        for columns, values, y in _blocks(job.kind, job.n_train, job.seed):
            for label, row, number in zip(
                y.tolist(), (columns + 1).tolist(), (values + 3000).tolist(), strict=True
            ):
                text = " ".join([f"{j}:{numbers[v]}" for j, v in zip(row, number, strict=True)])
                svm.write(f"{label} {text}\n")
                vw.write(f"{label} | {text}\n")
            if job.kind == "dense":
                frame = pandas.DataFrame((values / 1000).astype(np.float32))
                frame.columns = [f"x{j}" for j in frame.columns]
                writer = _append(writer, name(".parquet"), frame.assign(label=y))
    if writer is not None:
        writer.close()
    return {path.suffix: path.stat().st_size / 1e6 for path in folder().glob(name("").name + ".*")}


def _append(writer, path, frame):
    from pyarrow import Table, parquet

    table = Table.from_pandas(frame, preserve_index=False)
    writer = writer or parquet.ParquetWriter(path, table.schema)
    writer.write_table(table)
    return writer


def _name(job):
    return lambda suffix: folder() / f"{job.kind}_{job.n_train}_{job.seed}{suffix}"


def train_file(job):
    """Train a model from a file; return times, peak memory and the error on later samples."""
    name, n_features = _name(job), SHAPES[job.kind][0]
    # Imports are not measured.
    for module in ("pandas", "pyarrow.parquet", "vowpalwabbit"):
        import_module(module)
    with PeakMemory() as memory:
        clock = Clock()
        if job.model == "vw":
            from vowpalwabbit import Workspace

            model = Workspace(f"{VW_OPTIONS} -d {name('.vw')}")
            model.run_parser()
        else:
            if job.source == "parquet":
                chunks = read_parquet(name(".parquet"), target="label")
            else:
                chunks = read_svmlight(name(".svm"), n_features=n_features, zero_based=False)
            model = fit_stream(MODELS[job.model](), chunks, classes=[-1, 1])
        times = clock.read()
    return {**times, "megabytes": memory.megabytes, "error": _error(model, job)}


def _error(model, job):
    """Return the share of wrong predictions on samples of the same kind with another seed."""
    columns, values, y = next(_blocks(job.kind, N_BLOCK, job.seed + 1))
    if job.model != "vw":
        from scipy.sparse import csr_matrix

        n, n_values = columns.shape
        indptr = np.arange(0, n * n_values + 1, n_values)
        X = csr_matrix(
            (values.ravel() / 1000, columns.ravel(), indptr), shape=(n, SHAPES[job.kind][0])
        )
        X = X.toarray() if job.source == "parquet" else X
        return float(np.mean(model.predict(X) != y))
    texts = (
        "| " + " ".join(f"{j + 1}:{v / 1000:g}" for j, v in zip(*pair, strict=True))
        for pair in zip(columns.tolist(), values.tolist(), strict=True)
    )
    return float(np.mean([np.sign(model.predict(text)) != label for text, label in zip(texts, y)]))


def remove_files(job):
    """Remove the files of a run."""
    for path in folder().glob(_name(job)("").name + ".*"):
        path.unlink()
    return {}


TASKS = {"write_files": write_files, "train_file": train_file, "remove_files": remove_files}
