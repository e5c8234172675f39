"""The values of chapter 6 of Ertekin (2009)."""

# Table 6.1, Adult, s = -1: support vectors, others kept, samples admitted left and right of the
# ramp, samples removed by CLEAN there. FULL SVM has one number: it admits every sample.
TABLE_6_1 = {
    "lasvm-full": (11831, 20731, None, None, 0, 0),
    "lasvm-g": (11265, 0, 1340, 20252, 1, 19562),
}

# Tables 6.3 and 6.4: columns are `CHAPTER_6_SETS`, rows `CHAPTER_6_ROWS` (6.4 has no LIBSVM).
# The 98.43 % of FULL SVM on USPS+N is printed so.
CHAPTER_6_SETS = (
    "adult_dense", "mnist_8_c100", "banana_c10", "reuters_wide", "usps_c1", "usps_noise_c1",
)  # fmt: skip
CHAPTER_6_ROWS = ("lasvm-full", "lasvm-g", "lasvm-nc", "lasvm-i", "svc")
CHAPTER_6 = {
    "accuracy": (
        (84.87, 99.25, 90.03, 97.19, 99.54, 98.43),
        (84.81, 99.27, 89.81, 97.19, 99.54, 99.42),
        (85.01, 99.15, 89.97, 97.16, 99.52, 99.51),
        (84.82, 99.18, 89.84, 97.16, 99.57, 99.49),
        (84.91, 99.36, 90.07, 97.19, 99.54, 99.44),
    ),
    "n_support": (
        (11831, 3412, 947, 1122, 384, 2455),
        (11266, 3157, 941, 1120, 383, 2288),
        (4609, 2653, 551, 1086, 372, 752),
        (5776, 2722, 669, 1093, 373, 937),
        (11420, 3146, 915, 1090, 364, 2307),
    ),
    "seconds": (
        (1186, 4757.4, 1, 14.4, 43.7, 36),
        (479, 547.1, 0.6, 5.3, 17.3, 17),
        (129, 526.0, 0.4, 4.7, 8, 8.3),
        (92, 491.4, 0.3, 3.6, 5.8, 6),
        (318, 1372.2, 0.5, 7.2, 6.8, 52),
    ),
    "prbep": (
        (67.55, 95.98, 88.54, 76.48, 98.62, 98.53),
        (67.18, 96.18, 88.46, 76.42, 98.66, 98.50),
        (67.85, 95.64, 88.61, 76.42, 98.59, 98.53),
        (67.71, 95.80, 88.54, 76.20, 98.65, 98.56),
    ),
    "auc": (
        (0.897, 0.998, 0.965, 0.987, 0.999, 0.998),
        (0.893, 0.998, 0.966, 0.987, 0.999, 0.998),
        (0.901, 0.998, 0.965, 0.987, 0.999, 0.998),
        (0.899, 0.998, 0.964, 0.987, 0.999, 0.998),
    ),
    "gmean": (
        (73.13, 97.29, 89.51, 81.00, 98.93, 98.42),
        (72.87, 97.42, 89.30, 81.17, 98.92, 98.42),
        (75.03, 96.86, 89.47, 81.19, 98.99, 98.74),
        (73.72, 97.06, 89.38, 81.06, 98.89, 98.72),
    ),
    "n_kernel_evaluations": (
        (709.0, 2269.7, 8.51, 33.2, 27, 30.2),
        (233.0, 182.6, 3.8, 9.9, 5.2, 14.3),
        (116.9, 153.5, 3.1, 9.9, 5.2, 7.3),
        (105.9, 121.2, 2.0, 8, 3.2, 6.8),
    ),
}


def chapter_6(measure, row, name):
    """What the thesis prints for an algorithm and a set, or None."""
    rows = CHAPTER_6[measure]
    if name not in CHAPTER_6_SETS or row not in CHAPTER_6_ROWS[: len(rows)]:
        return None
    return rows[CHAPTER_6_ROWS.index(row)][CHAPTER_6_SETS.index(name)]
