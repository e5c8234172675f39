"""Ways to copy a model: through pickles and files, and in memory."""

import copy
import pickle

import joblib


def dumped(model, tmp_path, mmap_mode=None):
    joblib.dump(model, tmp_path / "model.joblib")
    return joblib.load(tmp_path / "model.joblib", mmap_mode=mmap_mode)


COPIES = {
    "pickle": lambda model, _: pickle.loads(pickle.dumps(model)),
    "old pickle": lambda model, _: pickle.loads(pickle.dumps(model, protocol=2)),
    "copy": lambda model, _: copy.copy(model),
    "deepcopy": lambda model, _: copy.deepcopy(model),
    "joblib": dumped,
    "joblib, memory-mapped": lambda model, tmp_path: dumped(model, tmp_path, "r"),
}
