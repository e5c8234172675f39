"""Classes that come late in a stream."""
