"""From a file to a trained linear model, compared with Vowpal Wabbit."""

import os
import tempfile
from importlib import import_module

import numpy as np
from scipy.sparse import csr_matrix

from sklearn_online_svm import AROWClassifier, PassiveAggressiveClassifier
from sklearn_online_svm.readers import fit_stream, read_parquet, read_svmlight

from ..bench.frames import frame, median, where
from ..bench.measure import PeakMemory, Stopwatch
from ..bench.rst import count, joined, list_table, number, percent
from ..bench.study import Study, grid

LIMIT, N_TRAIN, N_BLOCK = 1800, 1_000_000, 10_000
# Number of features, and of values that are not 0.
SHAPES = {"dense": (100, 100), "sparse": (3_000_000, 80)}
MODELS = {"pa": PassiveAggressiveClassifier, "arow": AROWClassifier}
TITLES = {"pa": "PA", "arow": "AROW", "vw": "Vowpal Wabbit"}
RUNS = grid(kind=["dense"], source=["text"], model=["vw", *MODELS])
RUNS += grid(kind=["dense"], source=["parquet"], model=MODELS)
RUNS += grid(kind=["sparse"], source=["text"], model=["vw", *MODELS])
# Bits of the hash, so that all features of the sparse samples have a weight of their own.
VW_OPTIONS = "--quiet --loss_function hinge -b 22"


def blocks(kind, n_samples, seed):
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


def texts(columns, values):
    """Yield the features of each sample as text."""
    numbers = [f"{value / 1000:g}" for value in range(-3000, 3001)]
    for row, codes in zip((columns + 1).tolist(), (values + 3000).tolist(), strict=True):
        yield " ".join([f"{j}:{numbers[code]}" for j, code in zip(row, codes, strict=True)])


def write_files(kind, n_train, folder, seed=0):
    """Write the samples for all models."""
    import pandas
    from pyarrow import Table, parquet

    writer = None
    with open(f"{folder}/svm", "w") as svm, open(f"{folder}/vw", "w") as vw:
        for columns, values, y in blocks(kind, n_train, seed):
            for label, text in zip(y, texts(columns, values), strict=True):
                svm.write(f"{label} {text}\n")
                vw.write(f"{label} | {text}\n")
            if kind == "dense":
                names = [f"x{j}" for j in range(values.shape[1])]
                samples = pandas.DataFrame((values / 1000).astype(np.float32), columns=names)
                block = Table.from_pandas(samples.assign(label=y), preserve_index=False)
                writer = writer or parquet.ParquetWriter(f"{folder}/parquet", block.schema)
                writer.write_table(block)
    if writer is not None:
        writer.close()
    return {}


def train_file(kind, n_train, model, source, folder, seed=0):
    """Train a model from a file; return times, peak memory and the error on later samples."""
    # Imports are not measured.
    for module in ("pandas", "pyarrow.parquet", "vowpalwabbit"):
        import_module(module)
    with PeakMemory() as memory, Stopwatch() as watch:
        if model == "vw":
            from vowpalwabbit import Workspace

            fitted = Workspace(f"{VW_OPTIONS} -d {folder}/vw")
            fitted.run_parser()
        else:
            if source == "parquet":
                chunks = read_parquet(f"{folder}/parquet", target="label")
            else:
                shape = dict(n_features=SHAPES[kind][0], zero_based=False)
                chunks = read_svmlight(f"{folder}/svm", **shape)
            fitted = fit_stream(MODELS[model](), chunks, classes=[-1, 1])
    # Samples of the same kind with another seed.
    columns, values, y = next(blocks(kind, N_BLOCK, seed + 1))
    if model == "vw":
        predicted = np.sign([fitted.predict(f"| {text}") for text in texts(columns, values)])
    else:
        indptr = np.arange(0, values.size + 1, values.shape[1])
        shape = (len(y), SHAPES[kind][0])
        X = csr_matrix((values.ravel() / 1000, columns.ravel(), indptr), shape=shape)
        predicted = fitted.predict(X.toarray() if source == "parquet" else X)
    return {**watch.read(), "megabytes": memory.megabytes, "error": float(np.mean(predicted != y))}


def measure(settings):
    """Measure one pass over files, text and Parquet, on two cores."""
    records, n_train = [], 2000 if settings.quick else N_TRAIN
    for kind in SHAPES:
        with tempfile.TemporaryDirectory(dir=os.environ.get("SOSVM_BENCH_FILES")) as folder:
            fixed = dict(limit=LIMIT, folder=folder)
            settings.record(write_files, dict(kind=kind, n_train=n_train), **fixed)
            for run in RUNS:
                if run["kind"] == kind:
                    asked = run | dict(n_train=n_train, threads=2)
                    # Several times: a run takes seconds.
                    found = settings.records(train_file, [asked] * settings.seeds, **fixed)
                    records += found["records"]
    return {"records": records}


def files_tables(results):
    """Times, peak memory and errors of one pass over a file, a table for each kind of samples."""
    found, tables = where(frame("cells_files", results), n_train=N_TRAIN), []
    fields = (
        ("seconds", number),
        ("cpu_seconds", number),
        ("megabytes", number),
        ("error", percent),
    )
    header = ["model, file", "time (s)", "CPU (s)", "memory (MB)", "error"]
    for kind, (n_features, n_values) in SHAPES.items():
        rows = []
        for run in RUNS:
            if run["kind"] == kind and len(where(found, **run)):
                cells = (form(median(found, field, **run)) for field, form in fields)
                rows.append([f"{TITLES[run['model']]}, {run['source']}", *cells])
        title = f"{count(n_features)} features, {n_values} of them not 0"
        tables.append(list_table(header, rows, title))
    return joined(tables)


STUDY = Study({"cells_files": measure}, {"cells_files": files_tables})
