"""What tests of several rooms share: data, models, failures that are provoked, child processes."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
