"""Streams in any order: sorted by class, in bursts, by a feature; late classes, drift."""
