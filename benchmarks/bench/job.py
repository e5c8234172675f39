"""The fields that every task has."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Job:
    """Fields of every task; the tasks of a study have further fields.

    It comes as JSON from the process that measures: names and numbers only. Data and models are
    made from them in the fresh process.
    """

    seed: int = 0
    # Threads that BLAS, OpenMP and the model may use.
    threads: int = 1
    # Small subsets: does it work?
    quick: bool = False
