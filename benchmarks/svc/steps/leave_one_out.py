"""Leave-one-out errors of LASVC, compared with cross-validation and with the test error."""

from ...bench import harness

# Training samples; the exact error is for the smaller number.
SIZES = {"banana": [1500, 4000], "adult_csr": [1500, 10_000], "mnist_8": [1500, 10_000]}
N_SEEDS = 3


def measure_leave_one_out(settings):
    records = []
    for name, sizes in SIZES.items():
        for n_train in [200] if settings.quick else sizes:
            for seed in range(1 if settings.quick else N_SEEDS):
                asked = {"workload": name, "n_train": n_train, "seed": seed}
                record = settings.call("leave_one_out_errors", **asked)
                harness.say("leave_one_out", record, **asked)
                records.append(asked | record)
    return {"records": records}


STEPS = {"leave_one_out": measure_leave_one_out}
