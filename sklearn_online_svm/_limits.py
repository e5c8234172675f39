"""Limits and block sizes that tests change; read when they are used, as ``_limits.NAME``."""

# -- epochs of kernel machines ----------------------------------------------------------

# Maximum number of epochs for max_iter=-1, and of rounds for a convex problem of RampSVC; a
# ConvergenceWarning is raised at the limit.
MAX_EPOCHS = 1000
# Each round of training raises the dual objective, except for rounding. With a kernel that is
# not positive semidefinite rounds may cycle: stop after so many rounds without an increase.
IDLE_ROUNDS = 20
# Maximum number of times that finish is repeated with recomputed gradients.
MAX_REFRESHES = 10

# Number of vectors with alpha = 0 that a stream keeps in each support set, those closest to the
# margin: support vectors of the optimum that did not violate when they were visited. So does the
# first of several epochs of fit, but at most this share of the samples of a problem.
RESERVE, RESERVE_SHARE = 50, 0.01

# max_iter="auto": largest number of samples of a set that is optimized to the end. Where epochs
# are repeated for that, they must take less than SHORT_TIME, an estimate in nanoseconds.
SMALL_SET = 5000
SHORT_TIME = 0.5e9
# The same with pairs of classes of at most SMALL_PAIR samples; and the number of samples whose
# kernel values with each other are in memory at a time (100 MB).
MANY_SMALL_PAIRS, SMALL_PAIR = 20_000, 700
GRAM_SAMPLES = 5000
# max_iter="auto": training stops when the mean violation of a part of the samples, which is the
# mean loss that another epoch could remove, is at most this share of the spread of the decision
# values, or of the margin if that is smaller.
AUTO_EXCESS = 0.01
# max_iter="auto": training stops when the number of samples outside of a support set that violate
# is at most this share of the number of support vectors. With rare classes both are small, and so
# is the mean loss over all samples.
AUTO_VIOLATORS = 0.2
# max_iter="auto": where more than this share of the samples are support vectors, training
# continues until an epoch changes nothing. If all alpha are at their bounds, a few missing vectors
# move the bias from the middle of a wide interval to its end.
AUTO_SUPPORT_SHARE = 0.95
# max_iter="auto": maximum number of epochs, unless the optimum is cheap.
MAX_AUTO_EPOCHS = 20

# max_iter="auto" of linear models: smallest number of samples with which some are held out of the
# first epochs, and the largest number held out. Training may end if the mean loss of samples that
# the model was trained on is less than this share of that of the held-out samples. After two
# epochs the share is .3 to .55 with texts, and .6 to 1.2 on other sets of the benchmarks.
LEAST_FOR_TRIAL, MOST_LEFT_OUT = 1000, 1000
TRIAL_SHARE = 0.6

# Number of samples of each class that a fit processes before the selection begins (Ertekin 2009,
# section 3.3.3: "a few examples of each class").
SAMPLES_OF_EACH_CLASS = 5

# -- steps and progress of kernel machines ----------------------------------------------

# Maximum number of steps of one call on the support set (REPROCESS and finish), for each binary
# problem: max(MAX_STEPS / k, MAX_STEPS_PER_SAMPLE * n_samples) if a sample belongs to k problems.
# Without a limit a call might run for a very long time if features or C are very large, or if the
# kernel is not positive semidefinite. Typical problems need a small fraction of them.
MAX_STEPS = 5_000_000
MAX_STEPS_PER_SAMPLE = 2500
# Number of support vectors in a working set of finish, unless their kernel rows do not fit into
# the cache.
WORKING_SET_SIZE = 8192
# Leave-one-out values: maximum number of array elements accessed by the solver (about one
# second).
LEFT_OUT_WORK = 1e9
# Minimum time in seconds between two progress lines, and between two measurements of the speed.
PROGRESS_SECONDS = 2.0

# -- values and bytes in memory at a time -----------------------------------------------

# fit_path: number of kernel values, and of gradients, held in memory during a check.
PATH_VALUES_AT_ONCE = 1 << 22
# VirtualPoints: number of distances computed at a time.
VIRTUAL_DISTANCES_AT_ONCE = 1 << 22
# CouplingMap: number of values of the matrices that are solved at a time.
COUPLING_VALUES_AT_ONCE = 1 << 20
# read_svmlight: bytes that are read at a time. Larger blocks do not fit into the cache of a
# processor core.
SVMLIGHT_BLOCK_SIZE = 1 << 20
# LocalOnlineClassifier: size limit of the local components in bytes, checked before memory is
# allocated; and number of regions that are allocated at first, if there may be as many.
MAX_LOCAL_BYTES = 8 << 30
LEAST_REGIONS = 64

# -- probabilities and intervals --------------------------------------------------------

# Maximum number of samples of ``fit`` outside of the support set that are kept, and number of
# samples of a stream: the map follows the last ones.
N_OTHERS, N_RECENT = 2000, 4000
# Maximum numbers of support vectors that are left out, and of other samples, for the map of two
# classes, which has five parameters. They are divided between the classes.
N_MAP_VALUES = 1000, 1000
# Prediction intervals: maximum number of array elements accessed by the solver (.3 seconds) for
# values of samples that are left out of fit.
INTERVALS_WORK = 3e8
# Number of samples to whose kernel values the local scale is fitted.
N_SCALE = 500
# SplineMap: penalty of the squared difference between neighbouring slopes. It matters only where
# there are hardly any samples, whose slope is then that of their neighbours.
SPLINE_STIFFNESS = 0.01

# -- cells ------------------------------------------------------------------------------

# fit_cells: largest number of samples from which the upper part of the tree is grown, and with
# which the accuracy of cells is compared with that of one model.
N_SAMPLED = 20_000
# Training samples of that comparison: at most, at least, and the number of samples in all cells
# per sample of the comparison, so that it takes a small part of the time of fit.
MOST_COMPARED, LEAST_COMPARED, CELL_SAMPLES_PER_COMPARED = 4000, 1000, 10

# -- races of ProgressiveSearch ---------------------------------------------------------

# What a search may take in any case, in nanoseconds (an estimate).
FREE_NS = 1e10
# Candidates whose score differs from the best one by less than this part of its standard error
# are equal, and the cheapest of them wins.
EQUAL_ERRORS = 0.25
# After each fold of a cross-validation, candidates whose score is below the best one by more than
# this number of standard errors are eliminated.
MOST_ERRORS_BELOW = 2.0
