"""The process that simulates, as the server sees it."""

import threading

from gori.web.serve.drive.process import ENDED, Process
from gori.web.serve.drive.truck import DriveOptions


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
