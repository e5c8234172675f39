"""Linear models compared with SGDClassifier and other online learners."""
