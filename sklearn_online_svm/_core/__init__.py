"""The engine: plain arrays and numbers in, plain arrays and numbers out.

It imports no scikit-learn and knows no parameter strings; the estimators translate.
Arrows run downward only::

          estimators (sklearn_online_svm.kernel)
                          |
                   dual_loop.pyx        blocks of a stream through the problems of a model;
                     |       |          threads, signals, finishing, predictions
                     v       |
               lasvm.pyx     |          one binary problem: process, reprocess, evict, finish
                 |     |     |
                 v     |     |
     support_set.pyx   |     |          slots: alpha, g, lower, upper, y; kernel rows
     (row_pool.h)      v     v          within a memory budget
               blocks.pyx               stores of vectors, kernel values of a block of fresh
               (python_blocks.pyx)      rows against them: dense, sparse, callable, precomputed
                     |
                     v
               leaves.h                 C99 loops, compiled once per instruction set
               (leaves_level.h,         (leaves_level.h) and element type (leaves_real.h) and
                leaves_real.h,          chosen at run time; leaves.pyx shows them to Python
                leaves.pyx)

Conventions shared by all files: ``alpha[i]`` carries the sign of ``y[i]``;
``g[i] = y[i] - sum_j alpha[j] K[i, j]`` excludes the bias; the bounds of ``alpha`` are data
(``lower``, ``upper``), so that weights and losses are only numbers to the loops; state is
float64, cached kernel rows are float32. A ``.pxd`` holds the contract of a piece, the
``.pyx`` the reasons.
"""
