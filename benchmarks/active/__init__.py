"""Sample selection: which samples of a pool are labelled."""
