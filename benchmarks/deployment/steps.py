"""ONNX graphs: each set and model, with one thread and with two."""

from ..bench import harness

SETS = ["adult", "usps", "letter", "banana", "magic04"]
MODELS = ["lasvc", "kernel_arow", "pa"]
THREADS = [1, 2]


def measure_onnx(settings):
    records = []
    for name in SETS:
        for model in MODELS:
            for threads in THREADS:
                asked = dict(set=name, model=model, threads=threads)
                record = settings.call("deploy", **asked)
                harness.say("deployment_onnx", record, **asked)
                records.append({**asked, **record})
    return {"records": records}


STEPS = {"deployment_onnx": measure_onnx}
