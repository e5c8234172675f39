"""Ratios against peers and the tables of the papers, measured on the machine at hand.

::

    python -m benchmarks.run                 everything, the cheapest first
    python -m benchmarks.run --only usps     one step
    python -m benchmarks.run --quick         a few minutes on small subsets: does it work?
    python -m benchmarks.build               tables and figures again from the stored results

A folder for each study; later ones may use earlier ones::

    svc                  LASVC compared with SVC and other peers, and chapter 3 of the thesis
    robust               label noise, and chapter 6
    linear               linear models compared with SGDClassifier and other online learners
    label_efficient      learning from few labels, the tables of Lu, Zhao and Hoi (2016)
    advice               advice and samples: learning curves
    active               sample selection: pools, LASVC, rare classes (section 3.3,
                         chapters 4 and 5)
    search               hyper-parameter searches, compared with the exhaustive choice

In each of them, arrows downward::

    tables  figures      stored results in, rst and PNG out;  paper: the values printed there
    steps                what is measured, and how often
    tasks                what runs inside a fresh process, from a Job
    models  workloads    estimators and data (linear: streams)

and below all studies ``bench``: settings and the command line (``harness``), processes, time and
memory (``measure``), ``job``, stored results (``results``), their medians (``summary``), ``rst``.
``worker`` is the fresh process.

A step stores ``results/<step>.json`` with the records as they were measured, the versions and
the date, one record per line. Medians and ratios are taken when the tables are built, so that a
table can be changed without a new measurement, and one step can be repeated without the others.
"""
