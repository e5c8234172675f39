"""Ratios against peers and the tables of the papers, measured on the machine at hand.

::

    python -m benchmarks.run                 everything, the cheap first
    python -m benchmarks.run --only usps     one step
    python -m benchmarks.run --quick         a few minutes on small subsets: does it work?
    python -m benchmarks.tables              tables and figures again from the stored results

How the modules lie on each other, arrows downward::

    run                                      all steps in order, then the tables
    compare one_row scaling cache_size reproduction robust      the steps: what is measured
    harness                                  settings, results as JSON, command line
    tasks                                    what runs inside a fresh process
    measure workloads models                 processes, time, memory; data; estimators

    tables figures thesis                    JSON in, rst and PNG out
    robust_tables robust_figures             ... of the steps in robust: label noise, chapter 6

A step stores ``results/<step>.json`` with the records as they were measured, the versions and
the date. Medians and ratios are taken when the tables are built, so that a table can be changed
without a new measurement, and one step can be repeated without the others.
"""
