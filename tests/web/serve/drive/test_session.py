"""A drive over the server: one steers, others watch; recorded and replayed; a driver who vanishes."""

import time

import httpx
import numpy as np
import pytest

import gori
from gori.web.serve.drive.session import DriveSession
from gori.web.serve.drive.truck import DriveOptions
from tests.web.serve.pages import hear, page, say, served


def until(socket, true, seconds=60.0, **drive):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        head, arrays = hear(socket, "frame", timeout=60)
        say(socket, shown=head["number"])
        if drive:
            say(socket, drive=drive, sent=1.0)
        if true(head):
            return head, arrays
    raise AssertionError("no frame was as wanted")


@pytest.fixture(scope="module")
def server():
    with served(DriveSession(DriveOptions(course="lane_change", soil="dry_sand"))) as running:
        yield running


def test_drive_record_replay_and_reset(server, tmp_path):
    session = server.session
    with page(server) as one:
        scene, _ = hear(one, "scene")
        assert scene["mode"] == "drive" and scene["drive"]["course"] == "lane_change"
        assert sum(shape["type"] == "cone" for shape in scene["bodies"][0]["shapes"]) == len(
            session.vehicle.course.cones
        )
        first, arrays = until(one, lambda head: True)
        assert first["state"]["steers"] and first["ruts"]["fresh"] and len(arrays["ruts.cells"])
        say(one, do="record")
        moved, _ = until(one, lambda head: head["values"]["speed"] > 2.0, throttle=1.0, steering=0.5, smooth=True)
        assert moved["values"]["angle"] > 0.02 and moved["values"]["rpm"] > 500 and len(moved["values"]["load"]) == 4
        assert moved["values"]["held"] > 0.0 and moved["state"]["recording"]
        say(one, do="stop_record")
        assert "recorded" in hear(one, "notice", timeout=30)[0]["message"]
        path = tmp_path / "drive.h5"
        path.write_bytes(httpx.get(server.address + "api/recording").content)
        rec = gori.open_run(path)
        assert rec["truck.chassis.x"][-1] > 1.0 and np.isfinite(rec["truck.wheel_fl.slip"]).all()
        say(one, shown=session.number)
        say(one, do="replay")
        replayed, _ = until(one, lambda head: head["state"]["replay"])
        assert replayed["time"] < moved["time"]
        say(one, do="reset")
        back, _ = until(one, lambda head: not head["state"]["replay"] and head["time"] < 0.5)
        assert abs(back["values"]["speed"]) < 0.5


def test_a_second_page_watches_and_takes_over(server):
    session = server.session
    with page(server) as one:
        until(one, lambda head: head["state"]["steers"])
        with page(server) as two:
            assert "you watch" in hear(two, "notice")[0]["message"]
            watching, _ = until(two, lambda head: True)
            assert not watching["state"]["steers"]
            say(two, do="reset")
            assert "another page" in hear(two, "error")[0]["message"]
            say(two, drive={"throttle": 1.0}, sent=0)
            until(one, lambda head: head["values"]["throttle"] > 0.9, throttle=1.0)
            one.socket.close()  # the driver's tab is killed in mid-drive
            released, _ = until(two, lambda head: head["state"]["steers"] and head["values"]["throttle"] == 0.0)
            assert released["values"]["held"] > 0.0
            until(two, lambda head: head["values"]["throttle"] > 0.5, throttle=1.0)
    assert session.failed is None


def test_what_is_not_here(server):
    with page(server) as one:
        hear(one, "scene")
        for bad in ({"do": "step"}, {"set": "input", "name": "truck.throttle", "value": 1}, {"drag": None}):
            say(one, **bad)
            assert hear(one, "error")[0]["message"]


def test_a_process_that_dies_is_said():
    with served(DriveSession(DriveOptions())) as server, page(server) as one:
        until(one, lambda head: True)
        server.session._process.kill()
        end = time.monotonic() + 20
        while server.session.failed is None and time.monotonic() < end:
            time.sleep(0.02)
        assert server.session.failed == "the simulation has ended"
        with page(server) as two:
            assert hear(two, "error")[0]["message"] == "the simulation has ended"
