"""The server itself: routes, a port of its own, the end by a signal."""

import os
import signal
import subprocess
import sys

import httpx
import pytest

from gori.errors import InputError
from gori.web.packet import unpack
from gori.web.serve.app import Server, make_app, page_of, serve
from tests.web.serve.pages import Counting, served

SERVE = """
from gori.web.serve.app import serve
from tests.web.serve.pages import Counting
class Told(Counting):
    def stop(self):
        print("ended", flush=True)
serve(Told(), open_browser=False)
"""


def test_routes(tmp_path):
    (tmp_path / "view.js").write_text("js")
    with served(static=tmp_path) as server, httpx.Client(base_url=server.address) as client:
        assert "/static/view.js" in client.get("/").text and "view.css" not in client.get("/").text
        assert client.get("/static/view.js").text == "js"
        assert "server" in client.get("/start.js").text
        head, arrays = unpack(client.get("/api/scene").content)
        assert head["name"] == "counting" and arrays["x"].tolist() == [0, 1, 2]
        assert unpack(client.get("/api/grains/3?most=7").content)[0]["drawn"] == 7
        assert client.get("/api/grains/11").status_code == 400
        assert client.get("/api/grains/-1").status_code == 400
        assert client.get("/api/grains/x").status_code == 400
        assert client.get("/api/arrows?kind=all").status_code == 400
        for path in ("/api/film", "/api/series?name=x", "/api/arrows?kind=contact", "/api/recording", "/nothing"):
            assert client.get(path).status_code == 404, path


def test_a_page_that_is_not_built_says_so(tmp_path):
    assert "npm run build" in page_of("view", tmp_path)


def test_addresses():
    with pytest.raises(InputError, match="cannot listen"):
        Server(Counting(), host="192.0.2.1")
    with pytest.raises(InputError, match="65535"):
        Server(Counting(), port=70000)
    with served() as server, pytest.raises(InputError, match="cannot listen"):
        Server(Counting(), port=server.port)
    assert callable(make_app(Counting())) and callable(serve)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it(number):
    # the server prints its address, ends with exit code 0, and stops its session
    child = subprocess.Popen([sys.executable, "-c", SERVE], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        address = child.stdout.readline().split()[0]
        for _ in range(100):
            try:
                assert httpx.get(address + "api/scene").status_code == 200
                break
            except httpx.ConnectError:
                pass
        os.kill(child.pid, number)
        out, err = child.communicate(timeout=20)
        assert child.returncode == 0 and "ended" in out and err == ""
    finally:
        child.kill()
