"""The engine: plain arrays and numbers in, plain arrays and numbers out.

It imports no scikit-learn and knows no parameter strings; the estimators translate.
Arrows run downward only. The kernel models::

    estimators (sklearn_online_svm.kernel)
             |
       stream -- selection, stopping        blocks of a stream: loaded, scored, visited
       finishing                            solving over the members; decisions in a stream
       resuming                             going on where an interrupt has ended a call
       engine -----------------------.      problems over one store: state, threads, signals
             |      slots            |      what lies in each slot of the store
             |      fresh_rows       |      a block of rows and its kernel values
             |      solution         |      a complete state, for predictions
             v                       |
       lasvm    gap_driven            |     the steps: on pairs, with a bias; on single alphas,
         |         |    |             |     driven by the duality gap
         |         |    v             |
         |         | admission        |     which rows enter a gap-driven problem, and their box
         v         v                  |
         problem                      |     one binary problem: solving it over its members,
         learning                     |     learning rows within limits,
         membership ----------.       |     its members and the rows of their kernel matrix
             |                |       |
             v                |       |
        active_set            |       |     slots that may still move (shrinking); a second
        settled               |       |     solution, for decisions in the midst of a stream
             |                |       |
             v                v       v
        members            stores           slots: alpha, g, lower, upper, y; stores of vectors,
        kernel_rows        dense_store      kernel values of a block of fresh rows against them:
        (row_pool.h)       sparse_store     dense, sparse, callable, precomputed
             |             python_stores
             |                |
             v                v
             simd/leaves.h                  C99 loops, compiled once per instruction set
                                            (leaves_level.h) and element type (leaves_real.h)
                                            and chosen at run time; leaves.pyx shows them to
                                            Python

The kernel models that make one step per row have neither: ``expansion``, over stores, fresh_rows
and solution, stands in for the weights of the linear models; ``expansion_budgets``,
``compression`` and ``votes`` go with it.

The linear models::

    estimators (sklearn_online_svm.linear), LabelEfficientClassifier (sklearn_online_svm.active)
             |
           passes                            what Python calls; signals; finiteness checked
             |
       update_loop -----------------.        rows, one after the other, through the problems of a
             |             |        |        model
             |          demands     v
             |             |     queries     which margin a row is to have; is its label worth
             |             |        |        asking for? (queries.pyx for Python; random.pxd draws)
             v             v        v
          rows, weights  rules.h   random    rows with labels, weights and order; weight vectors,
             |          (rules.pyx)          covariance, sums for averages; from margin and squared
             |             |                 norm to the step, a table in C, shared with the leaves
             v             v
             simd/leaves_linear.h            C99 loops over dense and sparse rows; in the same
                                             table as the others

    memory, guard, stored                    what all of them need: arrays that C reads; one thread
                                             at a time; a stored state read field by field, checked

Conventions of the kernel models: ``g[i] = target[i] - sum_j alpha[j] K[i, j]`` excludes the bias;
targets (in classification the labels) and the bounds of ``alpha`` (``lower``, ``upper``) are data,
so that weights and losses are only numbers to the loops; state is float64, cached kernel rows are
float32. Of the linear models: the intercept is the weight of a feature 1, which counts in norms
and covariances; weights have the type of the rows, rules and intercepts are float64. A ``.pxd``
holds the contract of a piece, the ``.pyx`` the reasons.
"""
