"""The command line itself: help, errors as text, exit codes, signals."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import gori
from gori.cli.main import BAD_INPUT, INTERRUPTED
from tests.cli.files import chain, shell


def test_version(run):
    result = run("--version")
    assert (result.exit_code, result.stdout) == (0, f"gori {gori.__version__}\n")


def test_help_names_every_command(run):
    result = run("--help")
    assert result.exit_code == 0
    assert all(command in result.stdout for command in ("info", "convert", "schema", "doctor"))


def test_help_is_fast():
    seconds = []
    for _ in range(3):  # the best of three: other work may run on this machine
        start = time.perf_counter()
        assert shell("--help").wait() == 0
        seconds.append(time.perf_counter() - start)
    assert min(seconds) < 1.5


ODD = """
import warnings
from gori.cli import app
app.registered_commands.clear()
app.command("odd")(lambda: warnings.warn("one thing is odd"))
app.command("even")(lambda: None)
app(["odd"], prog_name="gori")
"""


def test_warnings_of_every_command_are_sentences():
    """In a child process, where no handler of a test is in the way."""
    done = subprocess.run([sys.executable, "-c", ODD], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "warning: one thing is odd\n")


BAD = {
    "missing.yaml": (None, "missing.yaml: there is no such file"),
    "missing.urdf": (None, "missing.urdf"),
    "broken.yaml": ("gori: 1\nbodies:\n  a: {mass: 1\n", "broken.yaml, line 4: "),
    "typo.yaml": ("gori: 1\nbodies:\n  a: {mas: 1}\n", "typo.yaml, line 3: bodies.a.mas: unknown key 'mas'"),
    "broken.urdf": ("<robot name='r'>\n<link name='a'>\n</robot>", "broken.urdf, line "),
    "four.txt": ("gori: 1", "four.txt: .txt is not one of the formats"),
}


@pytest.mark.parametrize("command", [["info"], ["info", "--json"], ["convert"]])
@pytest.mark.parametrize("file", BAD)
def test_bad_files_end_with_words_and_code_2(run, file, command):
    text, words = BAD[file]
    if text is not None:
        Path(file).write_text(text)
    result = run(*command, file, *(["out.yaml"] if command == ["convert"] else []))
    assert result.exit_code == BAD_INPUT
    assert result.stderr.startswith("error: ") and words in result.stderr
    assert result.stdout == "" and "Traceback" not in result.stderr and "\x1b" not in result.stderr
    assert not Path("out.yaml").exists()


def test_debug_lets_the_error_through(run, monkeypatch):
    assert isinstance(run("--debug", "info", "missing.yaml").exception, gori.errors.FileError)
    monkeypatch.setenv("GORI_DEBUG", "1")
    assert isinstance(run("info", "missing.yaml").exception, gori.errors.FileError)


def test_ctrl_c(run, monkeypatch):
    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr("gori.formats.json_schema", interrupted)
    result = run("schema")
    assert result.exit_code == 130 and result.output == ""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals and pipes")
@pytest.mark.parametrize("words", [["schema"], ["info", "--all", "long.yaml"], ["info", "--json", "long.yaml"]])
def test_broken_pipe_is_silent(tmp_path, words):
    (tmp_path / "long.yaml").write_text(chain(200))
    process = shell(*words, cwd=tmp_path)
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait() in (0, 1, 128 + signal.SIGPIPE)


def test_exit_codes_are_those_of_shells():
    assert (BAD_INPUT, INTERRUPTED) == (2, 128 + signal.SIGINT)
