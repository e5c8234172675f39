"""The engine: plain arrays and numbers in, plain arrays and numbers out.

It imports no scikit-learn and knows no parameter strings; the estimators translate.
Arrows run downward only::

                  estimators (sklearn_online_svm.kernel)
                                  |
              lasvm.pyx           |  the dual loop: process, reprocess, evict, finish
                   |              |
                   v              |
              support_set.pyx     |  slots: vectors, alpha, g, lower, upper, y;
                   |              |  kernel rows within a memory budget
                   v              v
              blocks.pyx             kernel values of a block of fresh rows against
                   |                 the stored vectors, dense and CSR
                   v
              leaves.h               C99 loops: exp, dot, axpy, fused update + extremes,
              (leaves.pyx shows      sparse rows times a dense block; the instruction set
               them to Python)       is chosen at run time

Conventions shared by all files: ``alpha[i]`` carries the sign of ``y[i]``;
``g[i] = y[i] - sum_j alpha[j] K[i, j]`` excludes the bias; the bounds of ``alpha`` are data
(``lower``, ``upper``), so that weights and losses are only numbers to the loops; state is
float64, cached kernel rows are float32. A ``.pxd`` holds the contract of a piece, the
``.pyx`` the reasons.
"""
