"""
=====================================================
From a CSV file larger than memory to a served model
=====================================================

A table of loan applications has numbers, categories and missing values, and is too large to be
read at once. This tutorial trains a pipeline on it in chunks, continues after an interruption,
stores the model in a file, and predicts single applications with the loaded model, as a web
service does. The file of this program is small, so that it runs in seconds; the memory that it
needs depends on the size of the chunks, not on that of the file.
"""

# %%
# The file
# ========
#
# The program first writes a file with 60 000 samples, and keeps 5000 others for the test. Whether
# a loan is paid back depends on age, employment, and the ratio of amount and income, and partly on
# chance. The region has no influence.

import tempfile
import time
import tracemalloc
from functools import partial
from itertools import islice
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.kernel_approximation import Nystroem
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from sklearn_online_svm import AROWClassifier
from sklearn_online_svm.evaluation import progressive_validation
from sklearn_online_svm.export import load_model, save_model
from sklearn_online_svm.pipeline import make_online_pipeline
from sklearn_online_svm.readers import fit_stream, read_csv

NUMBERS, CATEGORIES = ["age", "income", "amount"], ["employment", "region"]


def applications(n, seed):
    """Return a table of loan applications with the outcome in the column 'paid_back'."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n).astype(float),
            "income": rng.lognormal(10.3, 0.5, n).round(),
            "amount": rng.lognormal(9.0, 0.8, n).round(),
            "employment": rng.choice(["employed", "self-employed", "retired", "none"], n),
            "region": rng.choice(["north", "south", "east", "west"], n),
        }
    )
    burden = np.log(table["amount"] / table["income"]) + 1.3
    risk = 1.5 * burden + ((table["age"] - 45) / 15) ** 2 - 1.2
    risk += 1.5 * (table["employment"] == "none") - 1.0 * (table["employment"] == "retired")
    table["paid_back"] = np.where(risk + rng.logistic(0, 0.5, n) < 0, "yes", "no")
    table.loc[rng.random(n) < 0.05, "income"] = np.nan
    return table


folder = tempfile.TemporaryDirectory()
path = Path(folder.name) / "applications.csv"
applications(60_000, seed=0).to_csv(path, index=False)
test = applications(5000, seed=1)
X_test, y_test = test.drop(columns="paid_back"), test["paid_back"]
print(path.read_text()[:260])
print(f"{path.stat().st_size / 2**20:.1f} MB")

# %%
# The pipeline
# ============
#
# Missing numbers are imputed and all numbers are standardized; categories are one-hot encoded. The
# classes are not linearly separable, so ``Nystroem`` maps the samples to 200 features that
# approximate an rbf kernel, and a linear online model is trained on these. Its size and its time
# per sample do not grow with the number of samples, which suits a large file.
#
# ``make_online_pipeline`` returns a pipeline with ``partial_fit``. ``OneHotEncoder`` and
# ``Nystroem`` cannot be updated, so all transformers are fitted on the first 2000 samples and then
# frozen: see :ref:`online_pipelines`.


def new_pipeline():
    columns = ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), NUMBERS),
            (
                "categories",
                OneHotEncoder(handle_unknown="ignore", sparse_output=False),
                CATEGORIES,
            ),
        ]
    )
    return make_online_pipeline(
        columns,
        Nystroem(gamma=0.2, n_components=200, random_state=0),
        AROWClassifier(),
        freeze_after=2000,
    )


# %%
# ``read_csv`` returns the file in chunks. The position in the file is the order of training: a
# file that is sorted by class or by time must be shuffled before.

chunks = partial(read_csv, path, target="paid_back", chunk_size=2000)
X_chunk, y_chunk = next(iter(chunks()))
print(X_chunk.shape, y_chunk.value_counts(normalize=True).round(2).to_dict())

# %%
# Evaluate in one pass
# ====================
#
# Before the final training it is useful to know how the accuracy develops along the file.
# :func:`~sklearn_online_svm.evaluation.progressive_validation` predicts each chunk before it is
# used for training. A plain linear model, without ``Nystroem``, shows what the kernel contributes.

linear = new_pipeline().set_params(nystroem="passthrough")
results = {
    name: progressive_validation(model, chunks(), classes=["no", "yes"])
    for name, model in (("approximate kernel", new_pipeline()), ("linear", linear))
}
for name, result in results.items():
    print(f"{name:19} error {1 - result.accuracy()[-1]:.1%}, {result.seconds[-1]:.1f} s")

BLUE, ORANGE, GREY = "#1f6feb", "#d1702a", "#8b949e"

figure, axis = plt.subplots(figsize=(7.2, 4.4), layout="constrained")
for (name, result), colour in zip(results.items(), (BLUE, ORANGE), strict=True):
    error = 100 * (1 - result.rolling(8000).accuracy())
    axis.plot(result.n_samples / 1000, error, color=colour, linewidth=2.5, label=name)
axis.set(xlabel="thousand samples read from the file", ylim=(0, None))
axis.set_title("Error on the latest 8000 samples (%)", loc="left", fontweight="bold")
axis.legend(frameon=False, loc="lower left", fontsize=12)
axis.spines[["top", "right"]].set_visible(False)
axis.grid(color="#e6e8eb", linewidth=0.8)
plt.show()

# %%
# Train, with checkpoints
# =======================
#
# :func:`~sklearn_online_svm.readers.fit_stream` trains the pipeline and writes a checkpoint every
# ``checkpoint_every`` seconds (here after each chunk). To simulate a crash, the first call reads a
# file that becomes unreadable after 12 chunks. The second call is the same without the error: it
# continues after the last checkpoint.

checkpoint = Path(folder.name) / "training.joblib"


def interrupted_chunks():
    for number, chunk in enumerate(chunks()):
        if number == 12:
            raise OSError("the network drive is gone")
        yield chunk


def train(source):
    return fit_stream(
        new_pipeline(),
        source,
        classes=["no", "yes"],
        checkpoint=checkpoint,
        checkpoint_every=0,
    )


try:
    train(interrupted_chunks)
except OSError as error:
    print("stopped:", error)

model = train(chunks)
print(f"test error {1 - model.score(X_test, y_test):.1%}")

# %%
# The model is the same as without an interruption:

uninterrupted = fit_stream(new_pipeline(), chunks, classes=["no", "yes"])
print(
    "same decision values:",
    np.array_equal(uninterrupted.decision_function(X_test), model.decision_function(X_test)),
)

# %%
# The memory in use during training does not grow with the number of samples:

for n_chunks in (3, 6, 12):
    tracemalloc.start()
    fit_stream(new_pipeline(), islice(chunks(), n_chunks), classes=["no", "yes"])
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    print(f"{2000 * n_chunks:6} samples: at most {peak:.0f} MB")

# %%
# Store and serve
# ===============
#
# A model file contains the whole pipeline with all transformers. Loading it runs no code from the
# file. A service loads it once, and then calls ``predict`` for each request.

stored = Path(folder.name) / "model.skops"
save_model(model, stored)
service = load_model(stored)


def handle(request):
    """Return the answer to a request, given as a dictionary of the columns."""
    score = service.decision_function(pd.DataFrame([request]))[0]
    return {"paid_back": str(service.classes_[int(score > 0)]), "score": round(float(score), 2)}


print(f"{stored.stat().st_size / 1024:.0f} KB")
print(
    handle(dict(age=41.0, income=52_000.0, amount=6000.0, employment="employed", region="south"))
)
print(
    handle(dict(age=23.0, income=None, amount=30_000.0, employment="none", region="unknown one"))
)

# %%
# The second request has a missing number and a region that was not in the training data: both are
# handled by the transformers. The time of a request, which includes the creation of a data frame:

requests = X_test.head(100).to_dict("records")
start = time.perf_counter()
for request in requests:
    handle(request)
print(f"{1000 * (time.perf_counter() - start) / len(requests):.1f} ms per request")
folder.cleanup()

# %%
# When the outcomes of new applications are known, ``service.partial_fit(X_new, y_new)`` continues
# the training. :ref:`files` describes the readers for other formats, and :doc:`/deployment`
# compares the formats of stored models, such as ONNX for services without Python.
