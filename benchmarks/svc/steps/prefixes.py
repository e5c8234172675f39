"""Predictions during a stream, and their cost."""

from ...bench import harness

# Samples of the stream; the whole of Adult and MNIST would only take longer.
WORKLOADS = {
    "waveform": None,
    "banana": None,
    "usps_noise": None,
    "adult_csr": 5000,
    "mnist_8": 5000,
}
COSTS = [1.0, 30.0, 1000.0]
ALGORITHMS = ["lasvm", "lasvm-g", "lasvm-nc", "lasvm-i", "lasvm-full"]
# The other algorithms run on this set only.
OF_ALL = "waveform"


def measure_prefixes(settings):
    records = []
    for workload, n_train in WORKLOADS.items():
        for algorithm in ALGORITHMS if workload == OF_ALL else ALGORITHMS[:1]:
            record = settings.call(
                "prefixes",
                workload=workload,
                n_train=n_train,
                values=COSTS[2:3] if settings.quick else COSTS,
                options={"algorithm": algorithm},
            )
            harness.say("prefixes", record, workload=workload, algorithm=algorithm)
            records.append({"workload": workload, "algorithm": algorithm, **record})
    return {"records": records}


STEPS = {"prefixes": measure_prefixes}
