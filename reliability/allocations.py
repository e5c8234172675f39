"""Each memory allocation of a call fails in turn, for every estimator that is trained."""

import tempfile
from collections import Counter

from tests.support import allocations

PROMISE = (
    "When a memory allocation fails, the call raises MemoryError and leaves the model unchanged "
    "(blocks of a long chunk that were finished before are kept and counted), or it succeeds with "
    "the same result."
)

# Cases that have failed.
QUICK = (
    # Processing a block failed, without memory for a kernel row, and left it half done.
    "lasvm-i, pairs: long_chunk",
    # The state could not be restored.
    "lasvm, 2 classes: finish",
    # The new size of a buffer was believed for which there was no memory.
    "lasvm: next_chunk",
    # Samples of the call before were taken for processed ones.
    "labels, arow, strings: next_chunk",
    # The model was trained, but the samples were not recorded.
    "labels, mistakes: next_chunk",
    # A vector was removed instead of merged, and training went on.
    "kernel pa, merging, 2 classes: next_chunk",
    # Errors in code without the interpreter's lock were printed and ignored.
    "lasvm, callable, sparse: next_chunk",
)


def campaign(quick):
    if allocations.compiler() is None:  # Linux only
        return
    with tempfile.TemporaryDirectory() as folder:
        library = allocations.build(folder)
        if quick:
            yield record("seven calls", allocations.outcomes(library, QUICK, most=4))
            return
        found = allocations.outcomes(library, most=2)
    for name, names in names_by_class().items():
        of_class = [one for one in found if one[0].rsplit(": ", 1)[0] in names]
        if of_class:
            yield record(name, of_class)


def record(what, found):
    """Return a record of all attempts; faults of other packages are counted apart."""
    bad = [one for one in found if one[3] not in ("clean", "survived")]
    foreign = [one for one in bad if allocations.is_foreign(one)]
    count = Counter(one[3] for one in found)
    return {
        "what": what,
        "cases": len(found),
        "MemoryError": count["clean"],
        "same result": count["survived"],
        "faults of NumPy, SciPy, Cython": len(foreign),
        "failures": [", ".join(one[:5]) for one in bad if one not in foreign],
    }


def names_by_class():
    """Return the names of models by the public class."""
    names = {}
    for name, (model, _, _) in allocations.models().items():
        public = next(k for k in type(model).__mro__ if k.__module__.startswith("sklearn_online"))
        names.setdefault(public.__name__, []).append(name)
    return names
