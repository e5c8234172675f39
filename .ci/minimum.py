"""Print constraints for pip that pin each declared dependency to its minimum version."""

import tomllib
from pathlib import Path

config = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
groups = [
    config["build-system"]["requires"],
    config["project"]["dependencies"],
    *config["project"]["optional-dependencies"].values(),
]
pins = {name.replace(">=", "==") for group in groups for name in group if ">=" in name}
print(*sorted(pins), sep="\n")
