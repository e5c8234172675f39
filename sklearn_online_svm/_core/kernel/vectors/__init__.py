"""Samples and support vectors: stores, blocks of samples, computation in advance."""
