"""The values of Lu, Zhao and Hoi (2016) that the tables are compared with.

J. Lu, P. Zhao, S. C. H. Hoi, "Online Passive-Aggressive Active Learning", Machine Learning 103
(2016), 141-183.
"""


def _lines(text):
    """The numbers of each line, by the name at its beginning."""
    split = (line.split() for line in text.strip().splitlines())
    return {name: [float(value) for value in values] for name, *values in split}


# Tables 2 and 3: F at 10 % and at 20 % of the labels, set by set.
RATES = (0.1, 0.2)
TABLE_2, TABLE_3 = ("svmguide1", "mushrooms", "a8a"), ("spambase", "splice", "w8a")
_F = _lines("""
PEA     0.837 0.832  0.991 0.994  0.572 0.567  0.846 0.854  0.747 0.770  0.263 0.342
SEL-ada 0.836 0.831  0.990 0.992  0.568 0.565  0.835 0.849  0.740 0.759  0.236 0.304
SEL-2nd 0.838 0.834  0.993 0.995  0.569 0.574  0.843 0.859  0.752 0.773  0.363 0.428
RPE     0.800 0.796  0.971 0.984  0.510 0.514  0.800 0.819  0.718 0.746  0.188 0.225
RPA     0.793 0.796  0.987 0.992  0.512 0.516  0.827 0.838  0.741 0.763  0.198 0.249
RPA-I   0.859 0.860  0.986 0.992  0.606 0.608  0.858 0.875  0.768 0.793  0.280 0.370
RPA-II  0.858 0.858  0.986 0.992  0.603 0.606  0.860 0.875  0.771 0.795  0.227 0.290
PAA     0.830 0.827  0.996 0.997  0.571 0.566  0.865 0.867  0.780 0.790  0.385 0.441
PAA-I   0.864 0.864  0.996 0.997  0.621 0.626  0.881 0.888  0.794 0.813  0.391 0.461
PAA-II  0.863 0.862  0.996 0.997  0.623 0.628  0.884 0.889  0.790 0.812  0.386 0.458
""")
# By algorithm, set and rate.
F_MEASURE = {
    (algorithm, name, rate): values[2 * i + j]
    for algorithm, values in _F.items()
    for i, name in enumerate(TABLE_2 + TABLE_3)
    for j, rate in enumerate(RATES)
}

# Samples of the sets of Tables 1 and 4 and of sections 6.1.4, 6.1.5 and 6.2.3; Reuters is RCV1.
SAMPLES = {
    "a8a": 32561, "codrna": 271617, "magic04": 19020, "mushrooms": 8124, "spambase": 4601,
    "splice": 3175, "svmguide1": 7089, "w8a": 64700, "dna": 2000, "satimage": 4435,
    "usps": 7291, "mnist": 10000, "letter": 15000, "shuttle": 43500, "covtype": 581012,
    "poker": 1000000, "comp_rec": 8870, "rec_sci": 8928, "reuters_two": 4086, "newsgroups": 15935,
    "reuters_eight": 15564,
}  # fmt: skip

# Tables 6 and 8, by the ratio of the classes: shares of labels that the active algorithms ask for.
TABLE_8_RATE = 0.0051
COST_RATES = {9: [0.1], 99: [0.02, TABLE_8_RATE]}
# Table 6, malicious URLs (one million samples, not available), by the ratio of the classes: sum
# (%).
SUM = {
    9: {
        "PE": 94.582, "PA": 95.119, "CW-diag": 96.255, "PAUM": 96.734, "CPA": 96.567,
        "LEPE": 93.642, "CSRND": 95.676, "CSPAA": 96.712, "CSPAA(a)": 96.891,
    },
    99: {
        "PE": 87.012, "PA": 87.203, "CW-diag": 88.55, "PAUM": 89.049, "CPA": 92.748,
        "LEPE": 79.162, "CSRND": 87.776, "CSPAA": 92.697,
    },
}  # fmt: skip

# Table 7, the same samples: cost of a thousand samples.
COST = {
    9: {
        "PE": 9.752, "PA": 8.786, "CW-diag": 6.741, "PAUM": 5.878, "CPA": 6.179,
        "LEPE": 11.472, "CSRND": 7.839, "CSPAA": 5.889, "CSPAA(a)": 5.604,
    },
    99: {
        "PE": 2.572, "PA": 2.534, "CW-diag": 2.267, "PAUM": 2.057, "CPA": 1.436,
        "LEPE": 4.215, "CSRND": 2.315, "CSPAA": 1.482,
    },
}  # fmt: skip

# Table 8, classes 1 : 99, about as many labels for all: sum (%) and cost of a thousand samples.
# CSPAA(a) starts with this delta.
ADAPTIVE_DELTA = 2.0**14
TABLE_8 = {
    "CPA": 92.748, "LEPE": 69.556, "CSRND": 80.724, "CSPAA": 88.756, "CSPAA(a)": 92.401,
}  # fmt: skip
TABLE_8_COST = {
    "CPA": 1.436, "LEPE": 6.170, "CSRND": 3.619, "CSPAA": 2.265, "CSPAA(a)": 1.484,
}  # fmt: skip

# Table 6, URL2: seconds for the million samples (Figure 7 shows them as they add up).
URL_SECONDS = {
    "PE": 18.903, "PA": 27.458, "CW-diag": 48.616, "PAUM": 28.527, "CPA": 41.248,
    "LEPE": 19.414, "CSRND": 20.984, "CSPAA": 20.304,
}  # fmt: skip
