"""scikit-learn's own tests of SVC, with LASVC(multi_class="ovo") in its place."""

import inspect
from itertools import product
from types import FunctionType, SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix
from sklearn import svm

from sklearn_online_svm import LASVC
from tests.support.internals import is_sparse

NOT_INSTALLED = "scikit-learn was installed without its tests"
of_dense = pytest.importorskip("sklearn.svm.tests.test_svm", reason=NOT_INSTALLED)
of_sparse = pytest.importorskip("sklearn.svm.tests.test_sparse", reason=NOT_INSTALLED)

pytestmark = [
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    # Kernels that are rounded too much, or whose matrix is almost singular.
    pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning"),
]


class SVC(LASVC):
    """LASVC with the signature of SVC, and with the documented differences that are simple.

    Coefficients of a model of sparse samples are sparse, a negative weight is 0, and the order of
    the samples does not vary.
    """

    def __init__(
        self,
        *,
        C=1.0,
        kernel="rbf",
        degree=3,
        gamma="scale",
        coef0=0.0,
        shrinking=True,
        probability=False,
        tol=1e-3,
        cache_size=200,
        class_weight=None,
        verbose=False,
        max_iter=-1,
        decision_function_shape="ovr",
        break_ties=False,
        random_state=None,
    ):
        params = {name: value for name, value in locals().items() if name[0] not in "_s"}
        super().__init__(shrinking=shrinking, multi_class="ovo", **params)
        self.random_state = 0 if random_state is None else random_state

    def fit(self, X, y, sample_weight=None):
        if sample_weight is not None:
            sample_weight = np.maximum(sample_weight, 0.0)
        return super().fit(X, y, sample_weight)

    @property
    def dual_coef_(self):
        return self._sparse_like_samples(super().dual_coef_)

    @property
    def coef_(self):
        return self._sparse_like_samples(super().coef_)

    def _sparse_like_samples(self, values):
        return csr_matrix(values) if is_sparse(self) and not callable(self.kernel) else values


# -- comparisons -----------------------------------------------------------------------------

# Those of scikit-learn presume kernel values in double precision.
RTOL, ATOL = 1e-5, 1e-5


def assert_equal(found, expected, *args):
    """Compare arrays; a solution may differ from that of SVC in the last bits."""
    found, expected = np.asarray(found), np.asarray(expected)
    if found.dtype.kind == "f" and expected.dtype.kind == "f":
        assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    else:
        np.testing.assert_array_equal(found, expected, *args)


def assert_close(found, expected, rtol=1e-7, atol=0.0):
    assert_allclose(found, expected, rtol=max(rtol, RTOL), atol=max(atol, ATOL))


def assert_almost_equal(found, expected, decimal=6):
    np.testing.assert_array_almost_equal(found, expected, decimal=min(decimal, 5))


COMPARISONS = dict(
    assert_array_equal=assert_equal,
    assert_allclose=assert_close,
    assert_array_almost_equal=assert_almost_equal,
)

# -- tests -----------------------------------------------------------------------------------

DENSE = (
    *("test_libsvm_parameters", "test_libsvm_iris", "test_precomputed", "test_probability"),
    *("test_decision_function", "test_decision_function_shape", "test_weight"),
    *("test_svm_classifier_sided_sample_weight", "test_svm_equivalence_sample_weight_C"),
    *("test_negative_weights_svc_leave_two_labels", "test_negative_weight_equal_coeffs"),
    *("test_auto_weight", "test_immutable_coef_property", "test_svc_clone_with_callable_kernel"),
    *("test_svc_bad_kernel", "test_unfitted", "test_consistent_decision_function"),
    *("test_decision_function_shape_two_class", "test_ovr_decision_function"),
    *("test_svc_invalid_break_ties_param", "test_svc_ovr_tie_breaking"),
    "test_svm_with_infinite_C",
)
SPARSE = (
    *("test_svc", "test_unsorted_indices", "test_svc_with_custom_kernel", "test_svc_iris"),
    *("test_sparse_decision_function", "test_error", "test_weight", "test_sample_weights"),
    *("test_sparse_realdata", "test_sparse_svc_clone_with_callable_kernel"),
    "test_consistent_decision_function",
)

PRIVATE = "sets or reads a private attribute of SVC"
MESSAGE = "the ValueError has another message"
EPOCHS = "max_iter and n_iter_ count epochs, not steps of each binary problem"
FAILURES_OF_DENSE = {
    "test_tweak_params": PRIVATE,
    "test_gamma_scale": PRIVATE,
    "test_svc_raises_error_internal_representation": PRIVATE,
    "test_negative_sample_weights_mask_all_samples": MESSAGE,
    "test_negative_weights_svc_leave_just_one_label": MESSAGE,
    "test_svc_nonfinite_params": MESSAGE,
    "test_hasattr_predict_proba": "a ValueError that is not a NotFittedError",
    "test_sparse_precomputed": "a sparse kernel matrix raises the TypeError of check_array",
    "test_bad_input": "a model of dense samples also predicts sparse ones",
    "test_custom_kernel_not_array_input": "samples are numbers, also with a callable kernel",
    "test_libsvm_convergence_warnings": EPOCHS,
    "test_n_iter_libsvm": EPOCHS,
    "test_probability_raises_futurewarning": "probability is not deprecated",
    "test_svc_nusvc_probA_probB_deprecated": "the map to probabilities has other parameters",
}
FAILURES_OF_SPARSE = {"test_timeout": EPOCHS}


def in_place_of_svc(value):
    """Return a value of a parameter of a test, or None if it is another estimator."""
    if value is svm.SVC:
        return SVC
    if isinstance(value, svm.SVC):
        return SVC(**value.get_params())
    kinds = (svm.NuSVC, svm.SVR, svm.NuSVR, svm.OneClassSVM)
    is_other = value in kinds if isinstance(value, type) else isinstance(value, kinds)
    return None if is_other else value


def arguments_of(test):
    """Yield the arguments of each run of a test, those for SVC if it is for several estimators."""
    parameters = []
    for mark in getattr(test, "pytestmark", []):
        if mark.name == "parametrize":
            names = [name.strip() for name in mark.args[0].split(",")]
            rows = mark.args[1] if len(names) > 1 else [[value] for value in mark.args[1]]
            parameters.append([dict(zip(names, row, strict=True)) for row in rows])
    for choice in product(*parameters):
        given = {name: value for part in choice for name, value in part.items()}
        given = {name: in_place_of_svc(value) for name, value in given.items()}
        if not any(value is None for value in given.values()):
            yield given


def with_lasvc(module, name):
    """Return a function of a test module that uses the class above, or None."""
    function = getattr(module, name, None)
    if function is None:
        return None
    values = vars(module) | COMPARISONS | {"svm": SimpleNamespace(**vars(svm) | {"SVC": SVC})}
    if module is of_sparse:
        helper = module.check_svm_model_equal
        values["check_svm_model_equal"] = FunctionType(helper.__code__, values)
    changed = FunctionType(function.__code__, values)
    changed.__signature__ = inspect.signature(function)
    return changed


def cases():
    """Return the tests that are run, with those that are expected to fail."""
    return [
        pytest.param(
            *(module, name),
            id=f"{module.__name__.split('.')[-1]}-{name}",
            marks=marks_of(name, failures),
        )
        for module, names, failures in (
            (of_dense, DENSE, FAILURES_OF_DENSE),
            (of_sparse, SPARSE, FAILURES_OF_SPARSE),
        )
        for name in dict.fromkeys([*names, *failures])
    ]


def marks_of(name, failures):
    if name in failures:
        return pytest.mark.xfail(reason=failures[name])
    return pytest.mark.slow if failures is FAILURES_OF_SPARSE and name == "test_svc" else ()


@pytest.mark.parametrize("module, name", cases())
def test_of_scikit_learn(module, name, global_random_seed):
    test = with_lasvc(module, name)
    if test is None:
        pytest.skip("not in this version of scikit-learn")
    needs_seed = "global_random_seed" in inspect.signature(test).parameters
    seed = {"global_random_seed": global_random_seed} if needs_seed else {}
    runs = list(arguments_of(getattr(module, name)))
    assert runs
    for given in runs:
        test(**given, **seed)
