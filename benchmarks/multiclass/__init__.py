"""One-vs-rest compared with one-vs-one, the two values of `multi_class` of LASVC."""
