"""A drive over the server: one steers, others watch; recorded and replayed; a driver who vanishes."""

import contextlib
import time

import httpx
import numpy as np
import pytest

import gori
from gori.errors import SimulationError
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
        assert replayed["time"] <= rec.time[-1] + 1e-9  # the drive itself is further on
        say(one, do="reset")
        back, _ = until(one, lambda head: not head["state"]["replay"] and head["time"] < 0.5)
        assert abs(back["values"]["speed"]) < 0.5


def test_a_replay_shows_controls_wheels_and_ruts_as_they_were(server):
    session = server.session
    with page(server) as one:
        hear(one, "scene")
        run = session._run
        say(one, do="reset")
        until(one, lambda head: session._run > run)
        say(one, do="record")
        until(one, lambda head: head["state"]["recording"])
        pedals = {"throttle": 1.0, "steering": 0.5, "smooth": False, "low": True}
        until(one, lambda head: head["values"]["speed"] > 2.0, **pedals)
        say(one, do="stop_record")
        deep = session.ruts.depth.copy()  # it goes on, elsewhere, with other pedals
        until(one, lambda head: head["state"]["file"])
        other = {"throttle": 0.0, "brake": 1.0, "steering": -1.0, "smooth": False, "gear": "R"}
        until(one, lambda head: head["values"]["steer"] < -0.9 and abs(head["values"]["speed"]) < 0.3, **other)
        present = session.ruts.depth.copy()
        assert np.count_nonzero(present > 0.01) > np.count_nonzero(deep > 0.01)
        say(one, do="replay")
        first, arrays = until(one, lambda head: head["state"]["replay"])
        seen = np.zeros(len(deep), np.float32)
        heads = []
        while first["state"]["replay"]:
            if "ruts" in first:
                if first["ruts"]["fresh"]:
                    seen[:] = 0.0
                seen[arrays["ruts.cells"]] = arrays["ruts.depth"]
            heads.append((first, seen.copy() if len(heads) % 20 == 0 else None))
            first, arrays = until(one, lambda head: True, **other)
        shown = [head["values"] for head, _ in heads]
        assert all(values["brake"] < 0.01 and values["steer"] > -0.01 for values in shown[10:])
        assert shown[-1]["steer"] == pytest.approx(0.5) and shown[-1]["throttle"] == pytest.approx(1.0)
        assert all(head["state"]["selector"] == "D" and head["state"]["low"] for head, _ in heads[10:])
        counts = [np.count_nonzero(depth > 0.01) for _, depth in heads if depth is not None]
        assert counts[0] < 0.5 * counts[-1] and counts[-1] <= np.count_nonzero(deep > 0.01)
        assert first["ruts"]["fresh"]  # the present again, with all its ruts
        now = np.zeros(len(deep), np.float32)
        now[arrays["ruts.cells"]] = arrays["ruts.depth"]
        assert np.count_nonzero(now > 0.01) >= np.count_nonzero(present > 0.01)
        back = lambda head: head["state"]["selector"] == "R" and not head["state"]["paused"]  # noqa: E731
        until(one, lambda head: back(head) and head["values"]["brake"] > 0.9, **other)


def test_ten_tabs_watch_and_the_drive_goes_on(server):
    with contextlib.ExitStack() as tabs:
        pages = [tabs.enter_context(page(server)) for _ in range(10)]
        firsts = [until(one, lambda head: True) for one in pages]
        assert sum(head["state"]["steers"] for head, _ in firsts) == 1
        assert all(head["ruts"]["fresh"] for head, _ in firsts)  # all ruts that are there, for each
        say(pages[0], do="reset")
        for one in pages:
            until(one, lambda head: head["time"] < 3.0)
        moved, _ = until(pages[0], lambda head: head["values"]["speed"] > 1.0, throttle=1.0)
        for one in pages[1:]:
            until(one, lambda head, since=moved["time"]: head["time"] >= since)
    with page(server) as after:
        assert until(after, lambda head: head["state"]["steers"])[0]["values"]["held"] > 0.0


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
        server.session.process.kill()
        end = time.monotonic() + 20
        while server.session.failed is None and time.monotonic() < end:
            time.sleep(0.02)
        assert server.session.failed == "the simulation has ended"
        with page(server) as two:
            assert hear(two, "error")[0]["message"] == "the simulation has ended"


def test_soil_that_does_not_carry_is_an_error_at_the_start_and_on_every_page():
    session = DriveSession(DriveOptions(soil="snow_us", payload=3000.0))
    with pytest.raises(SimulationError, match="snow us does not carry"):
        session.settle()
    with served(DriveSession(DriveOptions(soil="snow_us", payload=3000.0))) as server, page(server) as one:
        assert "does not carry" in hear(one, "error", timeout=60)[0]["message"]


def test_a_vehicle_that_has_settled_is_served_as_it_is():
    session = DriveSession(DriveOptions())
    session.settle()
    process = session.process._process
    with served(session) as server, page(server) as one:
        until(one, lambda head: head["time"] > 0.1)
        assert session.process._process is process
