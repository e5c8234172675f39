"""Ratios against peers and the tables of the papers, measured on the machine at hand.

::

    python -m benchmarks.run                 everything
    python -m benchmarks.run --only usps     one step
    python -m benchmarks.run --quick         a few minutes on small subsets: does it work?
    python -m benchmarks.build               tables and figures again from the stored results

A module of ``studies`` for each study, and further ones for some of its subjects::

    svc                  LASVC compared with SVC and other peers, and chapter 3 of the thesis
    robust               label noise, and chapter 6
    linear               linear models compared with SGDClassifier and other online learners
    local                local online learning compared with linear and kernel models
    kernel_updates       kernel passive-aggressive models and perceptrons
    kernels              kernels by name compared with functions, and mixed tables
    label_efficient      label-efficient online learning, the tables of Lu, Zhao and Hoi (2016)
    active               sample selection: pools, ActiveLASVC, pairs of records (sections
                         3.3 and 3.4)
    imbalance            imbalanced classes: active selection, VIRTUAL (chapters 4 and 5)
    advice               knowledge-based classification: learning curves with advice
    calibration          probabilities compared with cross-validation
    cells                cells compared with one model for all samples
    compression          compressed kernel models: size, error and time of predictions
    deployment           ONNX graphs compared with the models
    intervals            prediction intervals and sets, compared with MAPIE and crepes
    multiclass           one-vs-rest compared with one-vs-one, tuned and with default parameters
    new_classes          classes that come late in a stream
    random_problems      default models and their peers on generated problems
    regression           LASVR compared with SVR and other regressors
    novelty              OneClassLASVM compared with other detectors, and in streams
    search               hyper-parameter searches, compared with the exhaustive choice
    small_sets           small sets and many classes: fits, streams, searches, memory, files
    stream_order         streams in any order: sorted, in bursts, late classes, drift
    tables               a learned kernel metric compared with gradient boosting
    thresholds           coverage of the intervals of thresholds, and alarms under drift
    unbounded            models of constant size on streams, with and without concept drift

Each has a value ``STUDY`` (``bench.study``): what is measured (``steps``: a function, which runs
in a fresh process, and its cases), and the tables and figures that are made of the stored results
(``bench.frames``: as data frames). ``sets`` has data sets that several studies use, ``papers`` the
numbers that papers print.

The comparison with peers is in ``studies/svc.py``. All of its models have one task,
``fit_and_predict`` in ``studies/svc_models.py``, which returns time, error and memory.

- A data set: an entry of ``WORKLOADS`` in ``sets/workloads.py``, and its name in ``COMPARED``, or
  in ``SEVERAL`` if it has several classes. Each is a step of its own.
- A kernel model: an entry of ``KERNEL_MODELS`` in ``studies/svc_models.py``, and one of
  ``COLUMNS`` in ``studies/svc.py``, whose key in ``PARTS`` puts it into a table.

``bench`` is shared by all studies: settings and the command line (``harness``), processes, time
and memory (``measure``), stored results (``results``), data frames of them (``frames``), tables
(``rst``), ``plots``, peers (``models``) and the data sets of the papers (``data``). ``worker`` is
the fresh process, and ``outdated`` lists how old results are. ``asv`` times small cases across
commits.

A step stores ``results/<step>.json`` with the records as they were measured, the versions and
the date, one record per line. Medians and ratios are taken when the tables are built, so that a
table can be changed without a new measurement, and one step can be repeated without the others.
"""
