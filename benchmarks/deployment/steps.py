"""ONNX graphs: each set and model, with one thread."""

from ..bench.harness import grid

SETS = ["adult", "usps", "letter", "banana", "magic04"]
MODELS = ["lasvc", "kernel_arow", "pa"]


def measure_onnx(settings):
    return settings.records("deploy", grid(set=SETS, model=MODELS))


STEPS = {"deployment_onnx": measure_onnx}
