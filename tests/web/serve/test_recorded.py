"""A recording over the server, also while it is written."""

import threading
import time

import httpx
import numpy as np
import pytest

import gori
from gori.web.packet import unpack
from gori.web.serve.recorded import RecordedSession
from tests.web.serve.pages import hear, page, say, served


@pytest.fixture(scope="module")
def model():
    return gori.compile(gori.load("examples/pendulum.yaml"))


def test_film_series_and_download(model, tmp_path):
    gori.Simulation(model, gori.RK4(step=1e-3)).run(1.0, sample=0.01, path=tmp_path / "run.h5", progress=False)
    with (
        served(RecordedSession(tmp_path / "run.h5")) as server,
        httpx.Client(base_url=server.address, timeout=60) as client,
    ):
        scene, _ = unpack(client.get("/api/scene").content)
        film, arrays = unpack(client.get("/api/film").content)
        assert scene["mode"] == "film" and arrays["poses"].shape[0] == 101 and film["complete"]
        name = scene["channels"][0]["name"]
        assert unpack(client.get("/api/series", params={"name": name}).content)[0]["name"] == name
        assert client.get("/api/series", params={"name": "no.such"}).status_code == 400
        assert client.get("/api/grains/0").status_code == 400
        assert unpack(client.get("/api/arrows?kind=reaction").content)[0]["type"] == "arrows"
        assert client.get("/api/recording").content == (tmp_path / "run.h5").read_bytes()
        with page(server) as socket:
            assert hear(socket)[0]["type"] == "scene"
            say(socket, ask="series", name=name)
            assert hear(socket, "series")[0]["name"] == name


def test_a_recording_in_memory_has_no_file(model):
    rec = gori.Simulation(model, gori.RK4(step=1e-3)).run(0.1, progress=False)
    with served(RecordedSession(rec, ghost=rec)) as server, page(server) as socket:
        assert httpx.get(server.address + "api/recording").status_code == 404
        assert hear(socket, "ghost-film")[1]["poses"].shape[1] == 1 + len(model.spec.bodies)


def test_a_file_that_grows(model, tmp_path):
    path = tmp_path / "run.h5"
    stop = threading.Event()
    slow = gori.Simulation(
        model, gori.RK4(step=1e-3), driver=lambda run: (time.sleep(0.01), stop.is_set())[1], driver_period=0.01
    )
    writer = threading.Thread(target=lambda: slow.run(60.0, sample=0.01, path=path, progress=False))
    writer.start()
    try:
        for _ in range(1000):
            if path.exists() and slow.time > 0.5:
                break
            time.sleep(0.01)
        with served(RecordedSession(path)) as server, page(server) as socket:
            hear(socket, "scene")
            head, arrays = hear(socket, "film", timeout=60)
            assert not head["complete"] or stop.is_set()
            stop.set()
            writer.join(30)
            for _ in range(100):
                if head["complete"]:
                    break
                head, arrays = hear(socket, "film", timeout=60)
            assert head["complete"] and arrays["times"][-1] == pytest.approx(slow.time)
    finally:
        stop.set()
        writer.join(30)


def test_a_long_recording_is_shown_finely(model):
    """1000 s of a swing of 2 s: poses of all of it, and not of one in each swing."""
    times = np.linspace(0.0, 1000.0, 100_001)
    q = np.sin(2.0 * np.pi * times / 2.0)[:, None] * np.ones(model.nq)
    session = RecordedSession(gori.Recording(model, times, q, np.zeros((len(times), model.nv))))
    head, arrays = unpack(session.film())
    assert len(arrays["times"]) == 50_000 and np.diff(arrays["times"]).max() < 0.05
    assert head["thinned"] == "50000 of 100001 samples are shown"
