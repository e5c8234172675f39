"""The values that the thesis prints in chapters 4 and 5."""

# Table 4.3: g-means and AUC of batch and active in per cent, ratio of the support vectors and
# per cent of the samples at the early stop.
TABLE_4_3 = {
    "rare_corn": (85.55, 86.59, 99.95, 99.95, 3.13, 11.6),
    "rare_crude": (88.34, 89.51, 99.74, 99.74, 2.64, 22.6),
    "rare_grain": (91.56, 91.56, 99.91, 99.91, 3.08, 29.6),
    "rare_interest": (78.45, 78.46, 99.01, 99.04, 2.19, 30.9),
    "rare_money-fx": (81.43, 82.79, 98.69, 98.71, 2.19, 18.7),
    "rare_ship": (75.66, 74.92, 99.79, 99.80, 4.28, 20.6),
    "rare_trade": (82.52, 82.52, 99.23, 99.26, 2.22, 15.4),
    "rare_wheat": (89.54, 89.55, 99.64, 99.69, 3.38, 11.6),
    "rare_abalone": (100.0, 100.0, 100.0, 100.0, 1.38, 24.0),
    "rare_letter": (99.28, 99.54, 99.99, 99.99, 1.46, 27.8),
    "rare_satimage": (82.41, 83.30, 95.13, 95.75, 2.62, 41.7),
    "rare_usps": (99.22, 99.25, 99.98, 99.98, 1.50, 6.8),
    "rare_mnist": (98.47, 98.37, 99.97, 99.97, 1.59, 11.7),
}
# Table 4.4: PRBEP of batch, under-sampling, SMOTE, different costs and active.
TABLE_4_4 = {
    "rare_corn": (91.07, 78.57, 91.07, 89.28, 89.29),
    "rare_crude": (87.83, 85.70, 87.83, 87.83, 87.83),
    "rare_grain": (92.62, 89.93, 91.44, 91.94, 91.94),
    "rare_interest": (76.33, 74.04, 77.86, 75.57, 75.57),
    "rare_money-fx": (73.74, 74.30, 75.42, 75.42, 76.54),
    "rare_ship": (86.52, 86.50, 88.76, 89.89, 89.89),
    "rare_trade": (77.77, 76.92, 77.77, 77.78, 78.63),
    "rare_wheat": (84.51, 81.61, 84.51, 84.51, 85.92),
    "rare_abalone": (100.0, 100.0, 100.0, 100.0, 100.0),
    "rare_letter": (99.48, 96.45, 99.24, 99.35, 99.35),
    "rare_satimage": (73.46, 68.72, 73.46, 73.93, 73.93),
    "rare_usps": (98.44, 98.44, 98.13, 98.44, 98.75),
    "rare_mnist": (97.63, 97.02, 97.74, 97.63, 97.74),
}
# Section 4.5, Figure 4.7: AUC on Adult of active at its early stop, of as many samples in
# random order, and of all samples.
ROC_ADULT = (0.8980, 0.8725, 0.8910)
# Table 5.2: ratios of the support vectors of SMOTE, active and VIRTUAL; per cent of the virtual
# points of SMOTE and VIRTUAL that are support vectors.
TABLE_5_2 = {
    "rare_acq": (1.24, 1.28, 1.18, 2.4, 20.3),
    "rare_corn": (2.29, 3.08, 1.95, 17.1, 36.6),
    "rare_crude": (2.30, 2.68, 2.00, 10.8, 50.4),
    "rare_earn": (1.68, 1.89, 1.67, 6.0, 24.2),
    "rare_grain": (2.62, 3.06, 2.32, 7.2, 42.3),
    "rare_interest": (1.84, 2.16, 1.66, 13.3, 72.2),
    "rare_money-fx": (1.86, 2.17, 1.34, 8.2, 31.1),
    "rare_ship": (3.45, 4.48, 2.80, 20.0, 66.5),
    "rare_trade": (1.89, 2.26, 1.72, 15.4, 26.6),
    "rare_wheat": (2.55, 3.43, 2.22, 12.3, 63.9),
    "rare_abalone": (0.99, 1.24, 0.99, 30.4, 69.2),
    "rare_breast": (1.23, 0.60, 0.64, 2.9, 39.5),
    "rare_letter": (1.21, 1.48, 0.97, 0.98, 74.4),
    "rare_satimage": (1.31, 1.93, 0.92, 37.3, 53.8),
}
# Table 5.3: g-means of batch, SMOTE, active and VIRTUAL.
TABLE_5_3 = {
    "rare_acq": (96.19, 96.21, 96.19, 96.54),
    "rare_corn": (85.55, 89.62, 86.59, 90.60),
    "rare_crude": (88.34, 91.21, 88.35, 91.74),
    "rare_earn": (98.92, 98.97, 98.92, 98.97),
    "rare_grain": (91.56, 92.29, 91.56, 93.00),
    "rare_interest": (78.45, 83.96, 78.45, 84.75),
    "rare_money-fx": (81.43, 83.70, 81.08, 85.61),
    "rare_ship": (75.66, 78.55, 74.92, 81.34),
    "rare_trade": (82.52, 84.52, 82.52, 85.48),
    "rare_wheat": (89.54, 89.50, 89.55, 90.27),
    "rare_abalone": (100.0, 100.0, 100.0, 100.0),
    "rare_breast": (98.33, 97.52, 98.33, 98.84),
    "rare_letter": (99.28, 99.42, 99.28, 99.54),
    "rare_satimage": (83.57, 82.61, 82.76, 82.92),
}
# Table 4.4: times of SMOTE and active, in seconds.
TIMES_4_4 = {
    "rare_corn": (87, 16),
    "rare_crude": (129, 41),
    "rare_grain": (205, 50),
    "rare_interest": (116, 42),
    "rare_money-fx": (331, 35),
    "rare_ship": (49, 32),
    "rare_trade": (215, 38),
    "rare_wheat": (54, 25),
    "rare_abalone": (16, 4),
    "rare_letter": (86, 3),
    "rare_satimage": (63, 21),
    "rare_usps": (4328, 13),
    "rare_mnist": (83339, 1048),
}
# Table 5.3: times of SMOTE, active and VIRTUAL.
TIMES_5_3 = {
    "rare_acq": (2271, 146, 203),
    "rare_corn": (74, 43, 66),
    "rare_crude": (238, 113, 129),
    "rare_earn": (4082, 121, 163),
    "rare_grain": (296, 134, 143),
    "rare_interest": (192, 153, 178),
    "rare_money-fx": (363, 93, 116),
    "rare_ship": (88, 75, 76),
    "rare_trade": (292, 72, 131),
    "rare_wheat": (64, 29, 48),
    "rare_abalone": (18, 4, 6),
    "rare_breast": (4, 1, 1),
    "rare_letter": (83, 5, 6),
    "rare_satimage": (219, 18, 17),
}
