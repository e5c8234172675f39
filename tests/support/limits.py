"""Change of limits of the package during a test."""

from sklearn_online_svm import _limits


def set_limits(monkeypatch, **values):
    """Set limits by name until the test ends; an unknown name raises AttributeError."""
    for name, value in values.items():
        monkeypatch.setattr(_limits, name, value)
