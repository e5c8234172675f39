"""Thresholds: intervals of rates on new samples, and alarms on a stream with drift."""
