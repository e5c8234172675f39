"""ONNX graphs: each set and model, with one thread and with two."""

from ..bench.harness import grid

SETS = ["adult", "usps", "letter", "banana", "magic04"]
MODELS = ["lasvc", "kernel_arow", "pa"]
THREADS = [1, 2]


def measure_onnx(settings):
    return settings.records("deploy", grid(set=SETS, model=MODELS, threads=THREADS))


STEPS = {"deployment_onnx": measure_onnx}
