"""Linear models beside SGDClassifier and other online learners."""
