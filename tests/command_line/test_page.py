"""The session in doc/command_line.rst gives the output on the page."""

import re
import shlex
import textwrap

import pytest

from sklearn_online_svm.command_line import main
from tests.support import ROOT

PAGE = (ROOT / "doc" / "command_line.rst").read_text()
PROGRAM = "python -m sklearn_online_svm "
NUMBER = r"-?\d+(?:\.\d+)?"


def blocks():
    """Yield the language and the text of each code block, with continued lines joined."""
    pattern = r"^\.\. code-block:: (\w+)\n\n((?:(?:   .*)?\n)+)"
    for language, text in re.findall(pattern, PAGE, re.MULTILINE):
        yield language, re.sub(r" \\\n +", " ", textwrap.dedent(text))


def check(expected, found):
    """Compare outputs: ``...`` is any text, and numbers agree up to rounding on other machines."""
    pattern, numbers = "", []
    for part in re.split(rf"(\s+|\.\.\.|{NUMBER})", expected.strip()):
        if part.isspace() or part == "...":
            pattern += r"\s+" if part.isspace() else ".*?"
        elif re.fullmatch(NUMBER, part):
            pattern += f"({NUMBER})"
            numbers.append(float(part))
        else:
            pattern += re.escape(part)
    match = re.fullmatch(pattern, found.strip(), re.DOTALL)
    assert match, f"{found}\nis not\n{expected}"
    assert list(map(float, match.groups())) == pytest.approx(numbers, rel=0.1)


def output_of(command, capsys):
    """Return both outputs of a command, the standard error output first."""
    command, _, head = command.partition(" | head -")
    assert command.startswith(PROGRAM)
    main(shlex.split(command.removeprefix(PROGRAM)))
    out, err = capsys.readouterr()
    if head:
        return "".join(out.splitlines(keepends=True)[: int(head)])
    return err + out


def test_the_session(tmp_path, monkeypatch, capsys):
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    names, n_commands = {}, 0
    for language, text in blocks():
        if language == "python":
            exec(text, names)
            continue
        for command, expected in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE):
            found = output_of(command, capsys)
            check(expected, found)
            n_commands += 1
    assert n_commands == 9
    assert names["model"].n_samples_seen_ == 5000
