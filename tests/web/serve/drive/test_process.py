"""The process that simulates, as the server sees it."""

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from gori.web.serve.drive.process import ENDED, Process
from gori.web.serve.drive.truck import DriveOptions

SERVER = """
from gori.web.serve.drive.session import DriveSession
if __name__ == "__main__":
    session = DriveSession()
    session.settle()
    print(session.process._process.pid, flush=True)
    input()
"""


class Heard:
    """What a process has said, by kind."""

    def __init__(self):
        self.all, self.come = [], threading.Condition()

    def __call__(self, kind, given):
        with self.come:
            self.all.append((kind, given))
            self.come.notify_all()

    def first(self, kind, seconds=60.0):
        found = lambda: next((given for one, given in self.all if one == kind), None)  # noqa: E731
        with self.come:
            assert self.come.wait_for(lambda: found() is not None, seconds), self.all
            return found()


def test_it_tells_frames_and_that_it_was_killed():
    heard = Heard()
    process = Process(DriveOptions(), heard)
    process.start()
    process.start()  # it runs already
    assert "truck.wheel_fl.slip" in heard.first("ready")["outputs"]
    process.tell("pedals", 1.0, 0.0, 0.0, True, "D", False, 12.0)
    assert heard.first("frame")["run"] == 0
    process.kill()
    assert heard.first("failed") == ENDED
    process.tell("pause", True)  # nobody hears it
    process.stop()


def test_it_ends_without_a_word_when_it_is_told():
    heard = Heard()
    process = Process(DriveOptions(), heard)
    process.start()
    heard.first("frame")
    process.stop()
    assert not any(kind == "failed" for kind, _ in heard.all)


def test_soil_that_does_not_carry_is_said_before_anything_is_shown():
    heard = Heard()
    process = Process(DriveOptions(soil="snow_us", payload=3000.0), heard)
    process.start()
    words = heard.first("failed")
    assert "snow us does not carry hmmwv with 3000 kg of payload" in words and "less payload" in words
    process.stop()


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are looked for in /proc")
def test_a_server_that_is_killed_leaves_no_process_behind(tmp_path):
    script = tmp_path / "server.py"
    script.write_text(SERVER)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, str(script)], **pipes) as server:
        number = int(server.stdout.readline())
        assert is_running(number)
        server.kill()  # without a word
    end = time.monotonic() + 20.0
    while is_running(number) and time.monotonic() < end:
        time.sleep(0.05)
    assert not is_running(number)


def is_running(number):
    """Whether a process is there, and has not just ended."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
