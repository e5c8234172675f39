"""The engine: plain arrays and numbers in, plain arrays and numbers out.

It does not import scikit-learn and has no parameter strings; the estimators translate. Modules
import only from modules below them. The kernel models::

    estimators (sklearn_online_svm.kernel)
             |
       stream -- selection, stopping        main loop: blocks loaded, scored, visited
       finishing                            optimization over the support set
       resuming                             checkpoints: continue an interrupted call
       engine -----------------------.      problems over one store: state, threads, signals
             |      slots            |      the vector in each slot of the store
             |      fresh_rows       |      a block of samples and its kernel values
             |      solution         |      a solution of all problems, for predictions
             v                       |
       lasvm    gap_driven            |     PROCESS and REPROCESS: on pairs, with a bias; on single
         |         |    |             |     alphas, driven by the duality gap
         |         |    v             |
         |         | admission        |     admission rules of gap-driven problems
         v         v                  |
         problem                      |     one binary problem: budget, optimized solution,
         solving                      |     steps over the support set,
         learning                     |     training sample by sample, with limits,
         membership ----------.       |     the support set and its kernel rows
             |                |       |
             v                |       |
        active_set            |       |     active slots during finish (shrinking); a second,
        settled               |       |     optimized solution for predictions in a stream
             |                |       |
             v                v       v
        members            stores           support set: alpha, g, lower, upper, y; vector stores,
        kernel_rows        dense_store      kernel values of a block of samples against them:
        (row_pool.h)       sparse_store     dense, sparse, callable, precomputed; kernel cache
             |             python_stores
             |                |
             v                v
             simd/primitives.h                  C99 loops, compiled once per instruction set
                                            (simd_level.h) and element type (simd_real.h)
                                            and chosen at run time; primitives.pyx exposes them to
                                            Python

Kernel models with one step per sample use neither: ``expansion``, built on stores, fresh_rows and
solution, takes the place of the weights of the linear models. Its budgets and votes are in
``expansion_budgets``, ``compression`` and ``votes``.

The linear models::

    estimators (sklearn_online_svm.linear), LabelEfficientClassifier (sklearn_online_svm.active)
             |
           passes                            epochs, called from Python; signals, finiteness checks
             |
       update_loop -----------------.        samples, one by one, through the problems of a model
             |             |        |
             |          demands     v        target margins
             |             |     queries     query rules (queries.pyx for Python)
             |             |        |
             v             v        v
          rows, weights  rules.h   random    samples with labels, weights, order; weight vectors,
             |          (rules.pyx)          covariance, sums for averages; update rules: step from
             |             |                 margin and squared norm; random numbers
             v             v
             simd/simd_linear.h            C99 loops over dense and sparse samples; in the same
                                             dispatch table as the others

    memory, guard, stored                    used by all: arrays accessed from C; locks of models;
                                             validation of stored states

Conventions of the kernel models: ``g[i] = target[i] - sum_j alpha[j] K[i, j]`` excludes the bias.
Targets (in classification the labels) and bounds of ``alpha`` (``lower``, ``upper``) are data, so
the loops do not depend on sample weights and losses. State is float64, cached kernel rows are
float32. Conventions of the linear models: the intercept is the weight of a constant feature 1,
which is part of norms and covariances; weights have the dtype of the data, rules and intercepts
use float64. A ``.pxd`` file holds the contract of a module, the ``.pyx`` file explains the
implementation.
"""
