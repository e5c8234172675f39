"""The engine: plain arrays and numbers in, plain arrays and numbers out.

It imports no scikit-learn and knows no parameter strings; the estimators translate.
Arrows run downward only::

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
        active_set.pyx        |        |     slots that may still move (shrinking)
             |                |        |
             v                v        v
       support_set.pyx        blocks.pyx     slots: alpha, g, lower, upper, y, and kernel rows
       (row_pool.h)           (python_       within a memory budget; stores of vectors, kernel
             |                blocks.pyx)    values of a block of fresh rows against them:
             |                    |          dense, sparse, callable, precomputed
             v                    v
                   leaves.h                  C99 loops, compiled once per instruction set
                   (leaves_level.h,          (leaves_level.h) and element type (leaves_real.h)
                    leaves_real.h,           and chosen at run time; leaves.pyx shows them to
                    leaves.pyx)              Python

Conventions shared by all files: ``alpha[i]`` carries the sign of ``y[i]``;
``g[i] = y[i] - sum_j alpha[j] K[i, j]`` excludes the bias; the bounds of ``alpha`` are data
(``lower``, ``upper``), so that weights and losses are only numbers to the loops; state is
float64, cached kernel rows are float32. A ``.pxd`` holds the contract of a piece, the
``.pyx`` the reasons.
"""
