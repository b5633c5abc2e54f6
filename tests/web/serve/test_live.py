"""A live run: pace, pause, single steps, inputs, a body that is pulled, a recording."""

import time

import httpx
import numpy as np
import pytest

import gori
from gori.errors import InputError
from gori.web.packet import unpack
from gori.web.serve.live import LiveSession
from gori.web.serve.messages import MessageError, parse_message
from tests.web.serve.pages import hear, page, say, served


def pendulum():
    return gori.Simulation(gori.compile(gori.load("examples/pendulum.yaml")), gori.RK4(step=1e-3))


def until(socket, true, seconds=20.0):
    """Frames, each acknowledged, until one is as wanted."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        head, arrays = hear(socket, "frame")
        say(socket, shown=head["number"])
        if true(head):
            return head, arrays
    raise AssertionError("no frame was as wanted")


def test_it_runs_at_the_pace_of_the_clock_and_pauses():
    with served(LiveSession(pendulum())) as server, page(server) as socket:
        scene, _ = hear(socket, "scene")
        assert scene["mode"] == "live" and {"name": "pivot.v", "unit": "rad/s", "columns": [""]} in scene["channels"]
        first, _ = until(socket, lambda head: head["time"] > 0.1)
        began = time.monotonic()
        later, _ = until(socket, lambda head: head["time"] > first["time"] + 1.0)
        took, simulated = time.monotonic() - began, later["time"] - first["time"]
        assert 0.5 * simulated < took < 2.0 * simulated + 1.0
        say(socket, do="pause")
        paused, _ = until(socket, lambda head: head["state"]["paused"])
        say(socket, do="step")
        stepped, _ = until(socket, lambda head: head["time"] > paused["time"])
        assert stepped["time"] < paused["time"] + 0.2
        say(socket, do="speed", value=0)
        say(socket, do="resume")
        until(socket, lambda head: head["time"] > stepped["time"] + 5.0)
        say(socket, do="reset")
        until(socket, lambda head: head["time"] < stepped["time"] or head["number"] > 10**6)
        for bad in ({"do": "speed", "value": -1}, {"set": "input", "name": "no", "value": 1}, {"do": "replay"}):
            say(socket, **bad)
            assert hear(socket, "error")[0]["message"]


def test_a_body_that_is_pulled_follows_and_swings_on():
    run = pendulum()
    session = LiveSession(run)
    with served(session) as server, page(server) as socket:
        hear(socket, "scene")
        say(socket, do="record")
        until(socket, lambda head: head["state"]["recording"])
        _, arrays = until(socket, lambda head: head["time"] > 0.05)
        body = len(arrays["poses"]) - 1
        target = [float(arrays["poses"][body, 0]) + 1.0, 0.0, 0.5]
        say(socket, drag={"body": body, "point": [0.0, 0.0, -0.5], "target": target})
        end = time.monotonic() + 20.0
        while not session._pull.log and time.monotonic() < end:
            time.sleep(0.01)
        now = run.time if session._pulled is None else session._pulled.time
        until(socket, lambda head: head["time"] > now + 0.5)
        say(socket, drag=None)
        free, _ = until(socket, lambda head: session._pull.held is None)
        until(socket, lambda head: head["time"] > free["time"] + 0.2)
        say(socket, do="stop_record")
        assert "recorded" in hear(socket, "notice")[0]["message"]
        data = httpx.get(server.address + "api/recording").content
        path = session.folder.path / "copy.h5"
        path.write_bytes(data)
        rec = gori.open_run(path)
        pulls = rec.info["pulls"]
        assert pulls[0][1] == session._pull.names[body] and pulls[-1][1] is None
        energy = rec["energy.total"]
        assert np.ptp(energy) > 1e-3 * np.abs(energy).max()  # the pull has done work
    assert not session.folder.path.exists()  # nobody asked to keep it


def test_a_page_that_vanishes_lets_go():
    session = LiveSession(pendulum())
    with served(session) as server:
        with page(server) as socket:
            hear(socket, "scene")
            say(socket, drag={"body": 1, "point": [0, 0, 0], "target": [1, 1, 1]})
            until(socket, lambda head: session._pull.held is not None)
        end = time.monotonic() + 20.0
        while session._pull.held is not None and time.monotonic() < end:
            time.sleep(0.01)
        assert session._pull.held is None


def test_methods_with_steps_of_their_own():
    model = gori.compile(gori.load("examples/pendulum.yaml"))
    with served(LiveSession(gori.Simulation(model, gori.Dopri5(rtol=1e-6)))) as server, page(server) as socket:
        until(socket, lambda head: head["time"] > 0.2)


def test_grains_as_many_as_a_page_wants():
    spec = gori.load("examples/tray.yaml", set={"particles.load.fill.count": 60})
    session = LiveSession(gori.Simulation(gori.compile(spec), gori.RK4(step=1e-3)), speed=0.0)
    assert session.heavy

    class Few:
        most = 20

    head, arrays = unpack(session.frame(Few())[1])
    assert head["grains"]["drawn"] <= 20 and head["grains"]["count"] == 60
    assert arrays["grains.position"].shape == (head["grains"]["drawn"], 3)
    session.stop()


def test_refused():
    with pytest.raises(InputError, match="takes a Simulation"):
        LiveSession(3)
    session = LiveSession(pendulum())
    with pytest.raises(MessageError):
        session.act(None, parse_message('{"set": "q", "joint": "a", "value": [1]}'))
    session.stop()
