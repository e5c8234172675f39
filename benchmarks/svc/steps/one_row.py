"""`partial_fit` with one sample: LASVC with 500 stored vectors against SGDClassifier."""

from ...bench import harness


def measure_one_row(settings):
    records = []
    for seed in range(settings.seeds):
        record = settings.call("one_row_updates", seed=seed)
        records.append({"seed": seed, **record})
        if record["status"] == "ok":
            times = f"{record['lasvc_microseconds']:.1f} / {record['sgd_microseconds']:.1f} us"
            harness.say("one_row", record, seed=seed, LASVC_SGD=times)
        else:
            harness.say("one_row", record, seed=seed)
    return {"records": records}


STEPS = {"one_row": measure_one_row}
