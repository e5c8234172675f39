"""The engine: plain arrays and numbers in, plain arrays and numbers out.

It imports no scikit-learn and knows no parameter strings; the estimators translate.
Arrows run downward only. The kernel models::

    estimators (sklearn_online_svm.kernel)
             |
       dual_loop.pyx ------------------.     blocks of a stream through the problems of a model;
             |                         |     threads, signals, finishing, predictions
             v                         |
    lasvm.pyx    gap_driven.pyx        |     the steps: on pairs, with a bias; on single alphas,
       |            |     |            |     driven by the duality gap
       |            |     v            |
       |            |   admission.pyx  |     which rows enter a gap-driven problem, and their box
       v            v                  |
         problem.pyx ---------.        |     one binary problem: members, their kernel rows, the
             |                |        |     frame of finishing
             v                |        |
        active_set.pyx        |        |     slots that may still move (shrinking); a second
        settled.pyx           |        |     solution, for decisions in the midst of a stream
             |                |        |
             v                v        v
       members.pyx        blocks.pyx     slots: alpha, g, lower, upper, y, and kernel rows
       (row_pool.h)           (python_       within a memory budget; stores of vectors, kernel
             |                blocks.pyx)    values of a block of fresh rows against them:
             |                    |          dense, sparse, callable, precomputed
             v                    v
                   leaves.h                  C99 loops, compiled once per instruction set
                   (leaves_level.h,          (leaves_level.h) and element type (leaves_real.h)
                    leaves_real.h,           and chosen at run time; leaves.pyx shows them to
                    leaves.pyx)              Python

The linear models::

    estimators (sklearn_online_svm.linear), LabelEfficientClassifier (sklearn_online_svm.active)
             |
       linear.pyx ------------------.        the update loop: rows, one after the other, through
             |             |        |        the problems of a model; signals
             |             |        v
             |             |     queries.pxd     is the label worth asking for? (queries.pyx for
             |             |     (random.pxd)    Python; random.pxd draws)
             |             v
             |          rules.h              from margin, norm and weight to the step; C, shared
             v          (rules.pxd)          with the leaves
         weights.pyx       |                 weight vectors, covariance, sums for averages
             |             |
             v             v
             leaves_linear.h                 C99 loops over dense and sparse rows; in the same
                                             table as the others

    rows.pyx                                 what is done with rows before: an order drawn, CSR
                                             and finiteness checked
    stored.py                                how all of them read a stored state: field by field,
                                             checked

Conventions of the kernel models: ``alpha[i]`` carries the sign of ``y[i]``;
``g[i] = y[i] - sum_j alpha[j] K[i, j]`` excludes the bias; the bounds of ``alpha`` are data
(``lower``, ``upper``), so that weights and losses are only numbers to the loops; state is
float64, cached kernel rows are float32. Of the linear models: the intercept is the weight of a
feature 1, which counts in norms and covariances; weights have the type of the rows, rules and
intercepts are float64. A ``.pxd`` holds the contract of a piece, the ``.pyx`` the reasons.
"""
