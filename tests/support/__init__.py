"""Data, models, provoked failures and child processes shared by several tests."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
