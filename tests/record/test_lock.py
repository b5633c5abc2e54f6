"""One writer at a time."""

import os
import signal
import subprocess
import sys
import time

import pytest

from gori.errors import FileError, RecordError
from gori.record import lock
from gori.record.lock import Lock

HOLD = """
import sys, time
from gori.record.lock import Lock
held = Lock(sys.argv[1])
print("held", flush=True)
time.sleep(60)
"""


@pytest.fixture
def other(tmp_path):
    """A process that holds the lock of a folder."""
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.wait()


def test_the_second_is_told_who_holds_it(tmp_path, other):
    with pytest.raises(FileError, match=rf"is in use: process {other.pid} on .* has been writing there since 20"):
        Lock(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_a_kill_frees_it(tmp_path, other):
    os.kill(other.pid, signal.SIGKILL)
    other.wait()
    Lock(tmp_path).release()
    assert list(tmp_path.iterdir()) == []


def test_within_one_process(tmp_path):
    with Lock(tmp_path / "run.h5"), pytest.raises(FileError, match=r"run\.h5: is in use"):
        Lock(tmp_path / "run.h5")
    with Lock(tmp_path / "run.h5"):
        pass
    forgotten = Lock(tmp_path / "run.h5")
    del forgotten
    Lock(tmp_path / "run.h5").release()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(RecordError, match="cannot be written: No such file"):
        Lock(tmp_path / "nowhere" / "run.h5")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_neither_holds_nor_frees_it(tmp_path):
    held = Lock(tmp_path)
    child = os.fork()
    if child == 0:
        held.release()  # has no effect here
        time.sleep(0.3)
        os._exit(0)
    time.sleep(0.1)
    with pytest.raises(FileError, match="is in use"):
        Lock(tmp_path)
    held.release()
    Lock(tmp_path).release()  # though the child is still there
    os.waitpid(child, 0)


def test_without_locks_of_the_system(tmp_path, other, monkeypatch):
    """What is written in the file counts: who holds it, on which computer, since when."""
    monkeypatch.setattr(lock, "fcntl", None)
    with pytest.raises(FileError, match=f"process {other.pid}"):
        Lock(tmp_path)
    monkeypatch.setattr(lock.socket, "gethostname", lambda: "elsewhere")
    with pytest.raises(FileError, match=f"process {other.pid}"):
        Lock(tmp_path)
    monkeypatch.undo()
    monkeypatch.setattr(lock, "fcntl", None)
    real = lock._process_start
    monkeypatch.setattr(lock, "_process_start", lambda process: "other" if process == other.pid else real(process))
    if real(os.getpid()) is not None:
        Lock(tmp_path).release()  # the number was given to another process
    monkeypatch.setattr(lock, "_process_start", real)
    other.kill()
    other.wait()
    Lock(tmp_path).release()
