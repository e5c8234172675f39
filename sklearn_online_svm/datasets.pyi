# Written by `make stubs`.

from typing import Any

from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray

__all__ = ["flip_labels", "make_banana_like", "make_waveform"]

def flip_labels(
    y: ArrayLike,
    fraction: float,
    *,
    from_label: Any = ...,
    random_state: int | RandomState | None = ...,
    return_mask: bool = ...,
) -> Any: ...
def make_banana_like(
    n_samples: int = ..., *, noise: float = ..., random_state: int | RandomState | None = ...
) -> tuple[NDArray[Any], NDArray[Any]]: ...
def make_waveform(
    n_samples: int = ...,
    *,
    imbalance_ratio: float = ...,
    random_state: int | RandomState | None = ...,
    return_waveform: bool = ...,
) -> Any: ...
