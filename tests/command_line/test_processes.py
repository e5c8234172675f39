"""The commands in processes of their own: killed, interrupted, and with a closed output."""

import os
import re
import signal
import subprocess
import sys

import joblib
import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file

from sklearn_online_svm import AROWClassifier
from sklearn_online_svm.command_line import main
from sklearn_online_svm.datasets import make_banana_like
from sklearn_online_svm.export import load_model, save_model
from tests.support import ROOT
from tests.support.internals import _parser

X, Y = make_banana_like(600, random_state=0)
COMMANDS = ("train", "tune", "predict", "inspect")
TRAIN = (
    *("train", "train.svm", "--model", "AROWClassifier", "--chunk-size", "10"),
    *("--epochs", "80", "--checkpoint", "c.joblib", "--checkpoint-every"),
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    dump_svmlight_file(X, Y, "train.svm", zero_based=False)
    return tmp_path


def accept_interrupts():
    # A shell starts processes in the background with SIGINT ignored, which is inherited.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def started(*arguments):
    return subprocess.Popen(
        [sys.executable, "-m", "sklearn_online_svm", *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=None if os.name == "nt" else accept_interrupts,
    )


@pytest.mark.slow
@pytest.mark.parametrize("sent", ["SIGKILL", "SIGINT"])
@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
def test_the_same_command_continues(folder, sent, capsys):
    process = started(*TRAIN, "0", "-o", "m.sk")
    try:
        # Lines after 10, 20, ..., 1280 predictions, in the third epoch.
        while "1280" not in process.stderr.readline().split():
            assert process.poll() is None
        process.send_signal(getattr(signal, sent))
        _, err = process.communicate(timeout=300)
    finally:
        process.kill()
    if sent == "SIGINT":
        assert process.returncode == 130
        assert err.endswith("interrupted; the same command continues from c.joblib\n")
    else:
        assert process.returncode == -signal.SIGKILL
    assert not os.path.exists("m.sk")
    assert 1270 <= joblib.load("c.joblib")["estimator"].n_samples < 80 * 600
    assert main([*TRAIN, "60", "-o", "m.sk"]) == 0
    continued = capsys.readouterr().err.splitlines()
    os.remove("c.joblib")
    assert main([*TRAIN, "60", "-o", "expected.sk"]) == 0
    whole = capsys.readouterr().err.splitlines()
    found, expected = load_model("m.sk"), load_model("expected.sk")
    assert found.__getstate__()["checksum"] == expected.__getstate__()["checksum"]
    # The progressive error counts the samples before the interrupt, too.
    assert len(continued) < len(whole) and continued[-1] == whole[-1]


def test_checkpoints_of_other_commands_are_refused(folder, capsys):
    command = [*TRAIN, "60", "-o", "m.sk"]
    assert main(command) == 0
    assert main(command) == 0  # there is nothing left to do
    for changed, message in (
        ("-p r=3.0", "another estimator: r is 1, got 3"),
        ("--model SCWClassifier", "another estimator: model is 'AROWClassifier', got 'SCWClass"),
        ("--epochs 20", "epoch 81, got epochs=20"),
        ("--zero-based", "options of the reader: --zero-based is False, got True"),
        ("--n-features 3", "options of the reader: --n-features is 2, got 3"),
        ("--chunk-size 20", "options of the reader: --chunk-size is 10, got 20"),
    ):
        capsys.readouterr()
        assert main([*command, *changed.split()]) == 1
        assert re.match(f"error: The checkpoint 'c.joblib' .* {message}", capsys.readouterr().err)
    assert main([*command, "--epochs", "81", "--quiet"]) == 0
    assert load_model("m.sk").t_ == 81 * 600 + 1


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no pipes of this kind")
def test_a_closed_output_is_silent(folder):
    save_model(AROWClassifier().fit(X, Y), "m.sk")
    files = ["train.svm"] * 50
    process = started("predict", *files, "m.sk", "--decision", "--quiet")
    try:
        first = float(process.stdout.readline())
        process.stdout.close()
        err = process.stderr.read()
        assert (process.wait(timeout=300), err) == (141, "")
    finally:
        process.kill()
    np.testing.assert_allclose(first, load_model("m.sk").decision_function(X[:1])[0], rtol=1e-12)


@pytest.mark.slow
def test_a_program_without_arguments():
    process = started()
    out, err = process.communicate(timeout=300)
    assert process.returncode == 2 and out == ""
    assert err.startswith("usage: python -m sklearn_online_svm ") and "error: " in err


@pytest.mark.parametrize("command", [(), *((name,) for name in COMMANDS)], ids="-".join)
def test_help(command, capsys):
    assert main([*command, "--help"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.startswith(" ".join(["usage: python -m sklearn_online_svm", *command]))


def options():
    """Return the options of each command."""
    commands = next(action for action in _parser()._actions if action.choices).choices
    assert tuple(commands) == COMMANDS
    return [(name, action) for name, command in commands.items() for action in command._actions]


def test_options_are_described_and_tested():
    folder = ROOT / "tests" / "command_line"
    tests = "".join(path.read_text() for path in sorted(folder.glob("test_*.py")))
    for command, action in options():
        assert action.help and action.help[0].islower(), action
        if action.option_strings and action.nargs != 0:
            assert action.metavar or action.choices, action
        if action.option_strings and action.dest != "help":
            used = [
                option
                for option in action.option_strings
                if f"{option} " in tests or f'{option}"' in tests
            ]
            assert used, (command, action.option_strings)


def test_the_version(capsys):
    assert main(["--version"]) == 0
    assert re.fullmatch(r"sklearn_online_svm \d+\.\d+\.\d+\S*\n", capsys.readouterr().out)
