"""Leave-one-out errors of LASVC, compared with cross-validation and with the test error."""

# Training samples; the exact error is for the smaller number.
SIZES = {"banana": [1500, 4000], "adult_csr": [1500, 10_000], "mnist_8": [1500, 10_000]}
N_SEEDS = 3


def measure_leave_one_out(settings):
    cases = [
        dict(workload=name, n_train=n_train, seed=seed)
        for name, sizes in SIZES.items()
        for n_train in ([200] if settings.quick else sizes)
        for seed in settings.runs(N_SEEDS)
    ]
    return settings.records("leave_one_out_errors", cases)


STEPS = {"leave_one_out": measure_leave_one_out}
