"""Kernel passive-aggressive models and perceptrons: streams, sets and ten digits."""
