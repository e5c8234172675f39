"""Models that mlflow logs, loads and serves."""

import pytest
from numpy.testing import assert_array_equal
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_online_svm import LASVC, LASVR, AROWClassifier, PassiveAggressiveClassifier
from sklearn_online_svm.export import trusted_types
from sklearn_online_svm.pipeline import make_online_pipeline
from tests.support.samples import two_classes

mlflow = pytest.importorskip("mlflow", reason="mlflow-skinny is missing")
X, Y = two_classes(200)


@pytest.fixture(autouse=True)
def tracking(tmp_path):
    before = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path / 'runs.db'}")
    mlflow.create_experiment("online", artifact_location=(tmp_path / "artifacts").as_uri())
    mlflow.set_experiment("online")
    yield
    mlflow.set_tracking_uri(before)


MODELS = [
    LASVC(random_state=0),
    LASVR(random_state=0),
    AROWClassifier(random_state=0),
    make_pipeline(StandardScaler(), PassiveAggressiveClassifier(random_state=0)),
    make_online_pipeline(StandardScaler(), LASVC()),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("format", ["cloudpickle", "skops"])
def test_log_load_predict(model, format):
    model.fit(X, X[:, 0] if isinstance(model, LASVR) else Y)
    options = dict(serialization_format=format, pip_requirements=[])
    if format == "skops":
        pytest.importorskip("skops")
        options["skops_trusted_types"] = trusted_types()
    with mlflow.start_run():
        mlflow.log_params({"C": 1.0})
        mlflow.log_metric("score", model.score(X, X[:, 0] if isinstance(model, LASVR) else Y))
        info = mlflow.sklearn.log_model(model, name="model", input_example=X[:2], **options)
    loaded = mlflow.sklearn.load_model(info.model_uri)
    assert type(loaded) is type(model)
    assert_array_equal(loaded.predict(X), model.predict(X))
    assert_array_equal(mlflow.pyfunc.load_model(info.model_uri).predict(X), model.predict(X))


@pytest.mark.parametrize("model", [LASVC(), AROWClassifier()], ids=lambda m: type(m).__name__)
def test_a_loaded_model_continues(model):
    model.partial_fit(X[:100], Y[:100], classes=["no", "yes"])
    with mlflow.start_run():
        info = mlflow.sklearn.log_model(
            model, name="model", serialization_format="cloudpickle", pip_requirements=[]
        )
    loaded = mlflow.sklearn.load_model(info.model_uri).partial_fit(X[100:], Y[100:])
    expected = model.partial_fit(X[100:], Y[100:])
    assert_array_equal(loaded.decision_function(X), expected.decision_function(X))


def test_autologging():
    """It logs estimators of scikit-learn, and with them the parameters of ours."""
    mlflow.sklearn.autolog(log_models=False)
    try:
        with mlflow.start_run() as run:
            make_pipeline(StandardScaler(), LASVC(C=3.0)).fit(X, Y)
    finally:
        mlflow.sklearn.autolog(disable=True)
    logged = mlflow.get_run(run.info.run_id).data
    assert logged.params["lasvc__C"] == "3.0"
    assert logged.metrics["training_score"] > 0.8
