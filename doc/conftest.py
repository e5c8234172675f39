"""Leave out pages whose examples need a newer scikit-learn than the minimum."""

import sklearn
from sklearn.utils.fixes import parse_version

collect_ignore = []
if parse_version(sklearn.__version__) < parse_version("1.8"):
    # The page compares with learning rates that SGDClassifier has since 1.8.
    collect_ignore.append("migrating_from_passive_aggressive.rst")
