"""Training and prediction on one model by several threads, in a separate process."""

import json

from tests.support.programs import finished

# Learners and readers at one model. A crash would take the tests along: it has its own process.
PROGRAM = """
import json, pickle, sys, threading
import numpy as np
from scipy.sparse import csr_matrix
from sklearn.metrics.pairwise import rbf_kernel
import sklearn_online_svm
from tests.support.internals import engine_of, has_engine

# Threads that read without a pause would keep the learner waiting; and more switches find more.
sys.setswitchinterval(1e-4)
name, params, options = sys.argv[1], json.loads(sys.argv[2]), json.loads(sys.argv[3])
n_classes, size = options.get("n_classes", 2), options.get("chunk", 20)
n_learners, n_rows = options.get("n_learners", 1), options.get("n_rows", 1200)
rng = np.random.default_rng(0)
X = rng.normal(size=(n_rows, 20)) * (rng.random((n_rows, 20)) < 0.5)
y = (X[:, 0] + 0.5 * rng.normal(size=n_rows) > 0) + (X[:, 1] > 1) * (n_classes - 2)
if options.get("sorted"):
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
def function(A, B):
    return rbf_kernel(A, B, gamma=0.05)
if params.get("kernel") == "function":
    params["kernel"] = function
if options.get("sparse"):
    X = csr_matrix(X)
make = lambda: getattr(sklearn_online_svm, name)(**params)
if name == "LabelEfficientClassifier":
    kernel = params.pop("kernel", False)
    inner = sklearn_online_svm.LASVC(gamma=0.05, finishing=False) if kernel else None
    make = lambda: sklearn_online_svm.LabelEfficientClassifier(inner, **params)
chunks = [slice(at, at + size) for at in range(0, n_rows, size)]
probe = X[: options.get("n_probes", 40)]
classes = np.unique(y)

def learn(model, chunk):
    model.partial_fit(X[chunk], y[chunk], classes=classes)

# Every state that there is when nobody else is at work.
states, alone = [], make()
for chunk in chunks:
    learn(alone, chunk)
    states.append(alone.decision_function(probe))

def is_known(decisions):
    # Finished on the side, a solution is exact to 10 tol, and depends on when it was asked for.
    margin = 0.0 if params.get("finishing") is False or name != "LASVC" else 0.02
    return min(np.abs(decisions - state).max() for state in states) <= margin

model, seen, errors, done = make(), [], [], threading.Event()
learn(model, chunks[0])

def guarded(work):
    def run(*arguments):
        try:
            work(*arguments)
        except BaseException as error:
            errors.append(repr(error))
            raise
    return threading.Thread(target=run, args=())

def read():
    while True:
        last = done.is_set()
        seen.append(model.decision_function(probe))
        model.predict(probe[:3])
        if last:
            return

def look():
    # Attributes that need the engine wait for the learner; what they say belongs together.
    while not done.is_set():
        copy = pickle.loads(pickle.dumps(model))
        assert n_learners > 1 or is_known(copy.decision_function(probe))
        if name == "LabelEfficientClassifier":
            assert len(model.queried_) % size == 0
            assert copy.queried_.sum() == copy.n_queries_ == len(copy.queried_labels_)
        elif hasattr(copy, "support_"):
            assert len(copy.support_) == copy.dual_coef_.shape[1] == copy.n_support_.sum()
            assert copy.support_vectors_.shape == (len(copy.support_), 20)
            assert copy.support_.max(initial=-1) < copy.n_samples_seen_
            model.support_vectors_, model.dual_coef_, model.n_support_, model.intercept_
        elif hasattr(copy, "prototypes_"):
            assert len(copy.prototypes_) == len(copy.local_coef_) == len(copy.prototype_counts_)
            assert model.local_coef_.shape[1:] == copy.local_coef_.shape[1:]
            assert model.prototypes_.shape[1] == 20
        else:
            assert model.coef_.shape == copy.coef_.shape
            assert model.intercept_.shape == copy.intercept_.shape

turns = iter(chunks[1:])
def teach():
    for chunk in turns:
        learn(model, chunk)

readers = [guarded(read) for _ in range(2)] + [guarded(look)]
learners = [guarded(teach) for _ in range(n_learners)]
if n_learners > 1:
    lock, rest = threading.Lock(), turns
    class Shared:
        def __iter__(self):
            return self
        def __next__(self):
            with lock:
                return next(rest)
    turns = Shared()
for thread in readers + learners:
    thread.start()
for thread in learners:
    thread.join()
done.set()
for thread in readers:
    thread.join()
assert not errors, errors[:3]
if n_learners == 1:
    distinct = list({decisions.tobytes(): decisions for decisions in seen}.values())
    strange = [decisions for decisions in distinct if not is_known(decisions)]
    assert not strange, (len(strange), len(distinct), len(seen))
    states = [alone.decision_function(probe)]
    assert is_known(model.decision_function(probe))
if hasattr(model, "n_samples_seen_"):
    assert model.n_samples_seen_ == n_rows
if has_engine(model):
    problems = engine_of(model).problems
    before = [problem.members["g"][problem.slots()] for problem in problems]
    engine_of(model).refresh()
    for problem, g in zip(problems, before):
        assert len(np.unique(problem.members["row_id"][problem.slots()])) == len(g)
        assert np.abs(problem.members["g"][problem.slots()] - g).max(initial=0) < 1e-6
elif name == "LabelEfficientClassifier":
    assert len(model.queried_) == n_rows
elif hasattr(model, "replay_size"):
    assert model.t_ >= n_rows + 1  # and samples that are replayed
else:
    assert model.t_ == n_rows + 1
print(len(seen), len({decisions.tobytes() for decisions in seen}))
"""


def run(name, params, **options):
    arguments = name, json.dumps(params), json.dumps(options)
    process = finished(PROGRAM, *arguments, seconds=60 + options.get("n_rows", 1200) / 10)
    assert process.returncode == 0, process.stderr[-3000:]
    n_seen, n_states = map(int, process.stdout.split())
    print(f"{n_seen} predictions saw {n_states} states")
    assert n_seen > 5
