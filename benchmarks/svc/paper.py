"""The values of chapter 3 of Ertekin (2009); errors in percent."""

# Table 3.2: error, support vectors, kernel calls (millions) and seconds, LIBSVM then LASVM x 1.
TABLE_3_2 = {
    "waveform": ((8.82, 1006, 4.2, 3.2), (8.68, 948, 2.2, 2.7)),
    "banana": ((9.96, 873, 6.8, 9.9), (9.98, 869, 6.7, 10.0)),
    "reuters": ((2.76, 1493, 11.8, 24), (2.76, 1504, 9.2, 31.4)),
    "usps": ((0.41, 236, 1.97, 13.5), (0.43, 201, 1.08, 15.9)),
    "usps_noise": ((0.41, 2750, 63, 305), (0.53, 2572, 20, 178)),
    "adult_csr": ((14.90, 11327, 1760, 1079), (14.94, 11268, 626, 809)),
    "covtype_3v4": ((8.03, 43251, 27569, 14598), (8.15, 41750, 18939, 10310)),
    "covtype_first20k": ((8.03, 43251, 27569, 14598), (8.15, 41750, 18939, 10310)),
}

# Table 3.3: change by the finishing step of error, support vectors and time, in percent.
TABLE_3_3 = {
    "waveform": (0, 0, 4),
    "banana": (-79, -74, 185),
    "reuters": (0, 0, 3),
    "usps": (0, -2, 0),
    "usps_noise": (-67, -33, 7),
    "adult_csr": (-13, -19, 80),
    "covtype_3v4": (-1, -24, 248),
    "covtype_first20k": (-1, -24, 248),
}

# The full Forest (100 000 samples of CoverType) is not available.
STAND_INS = {"covtype_3v4", "covtype_first20k"}

# Figure 3.4: multiclass error and seconds on MNIST.
FIGURE_3_4 = {"svc": (1.36, 17400), "x1": (1.42, 4950), "x2": (1.36, 12210)}

# Section 3.2.4.1: one pass without finishing nearly matches the SVM at this delta_max.
SWEET_SPOT = 3
