"""Ways to copy a model: through pickles and files, and in memory."""

import copy
import pickle

import joblib
import pytest


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
with_copies = pytest.mark.parametrize("make_copy", COPIES.values(), ids=COPIES)
# The other copies are those of tests/test_state_machine.py.
FILES = [name for name in COPIES if name.startswith("joblib")]
with_files = pytest.mark.parametrize("make_copy", [COPIES[name] for name in FILES], ids=FILES)
