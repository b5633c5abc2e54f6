"""Pages that watch: fewer frames for slow ones, floods and wrong messages, many tabs, tabs that vanish."""

import asyncio
import json
import socket as sockets
import time
from collections import deque

import pytest
from websockets.exceptions import ConnectionClosed

from gori.web.serve.messages import parse_message
from gori.web.serve.watchers import AHEAD, MOST_WATCHERS, MOST_WRONG, Allowance, Watcher
from tests.web.serve.pages import Counting, hear, page, say, served


def wait_for(true, seconds=10.0):
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.01)
    assert true()


def test_a_slow_page_gets_fewer_frames_and_never_a_queue():
    session = Counting()
    with served(session) as server, page(server) as slow, page(server) as quick:
        for socket in (slow, quick):
            assert hear(socket)[0]["type"] == "scene"
        for k in range(1, 21):
            session.tick()
            assert hear(quick, "frame")[0]["number"] == k
            say(quick, shown=k)
        got = [hear(slow, "frame")[0]["number"] for _ in range(AHEAD)]
        with pytest.raises(TimeoutError):
            slow.recv(timeout=0.3)
        say(slow, shown=got[-1])
        assert hear(slow, "frame")[0]["number"] == 20  # the latest, not the next of a queue
        with pytest.raises(TimeoutError):
            slow.recv(timeout=0.3)


def test_wrong_messages_are_answered_and_then_close():
    with served() as server, page(server) as socket:
        hear(socket)
        socket.send("nonsense")
        assert "JSON" in hear(socket, "error")[0]["message"]
        with pytest.raises(ConnectionClosed) as closed:
            for _ in range(MOST_WRONG + 10):
                socket.send('{"do": "shutdown"}')
            for _ in range(MOST_WRONG + 10):
                socket.recv(timeout=10)
        assert closed.value.rcvd.code == 1008
        with page(server) as other:  # the server is there still
            assert hear(other)[0]["type"] == "scene"


def test_huge_and_binary_frames():
    with served() as server:
        with page(server) as socket:
            hear(socket)
            with pytest.raises(ConnectionClosed) as closed:
                socket.send(200_000 * "x")
                for _ in range(10):
                    socket.recv(timeout=10)
            assert closed.value.rcvd.code == 1009  # too big
        with page(server) as socket:
            hear(socket)
            socket.send(b"\x00\xff" * 100)
            assert hear(socket)[0]["type"] == "error"
            socket.send(json.dumps({"ask": "grains", "frame": 3, "most": 5}))
            assert hear(socket, "grains")[0]["drawn"] == 5
            socket.send(json.dumps({"ask": "grains", "frame": 11}))
            assert hear(socket, "error")[0]["message"] == "there is no frame 11"
            socket.send(json.dumps({"ask": "series", "name": "x"}))
            assert "no series" in hear(socket, "error")[0]["message"]


def test_a_flood_is_cut_off():
    session = Counting()
    with served(session) as server, page(server) as socket, page(server) as other:
        hear(socket)
        with pytest.raises(ConnectionClosed):
            for k in range(20_000):
                say(socket, set="input", name="x", value=k)
            for _ in range(20_000):
                socket.recv(timeout=10)
        hear(other)
        say(other, set="input", name="y", value=1)
        wait_for(lambda: session.inputs.get("y") == 1.0)


def test_ten_tabs_and_more_than_are_allowed():
    session = Counting()
    with served(session) as server:
        tabs = [page(server) for _ in range(10)]
        assert all(hear(tab)[0]["type"] == "scene" for tab in tabs)
        session.tick()
        assert [hear(tab, "frame")[0]["number"] for tab in tabs] == 10 * [1]
        tabs += [page(server) for _ in range(MOST_WATCHERS - 10)]
        with page(server) as too_many:
            assert "pages are open" in hear(too_many)[0]["message"]
        for tab in tabs:
            tab.close()
        wait_for(lambda: session.here == 0)


def test_a_tab_that_is_killed():
    session = Counting()
    with served(session) as server:
        tab = page(server)
        hear(tab)
        wait_for(lambda: session.here == 1)
        tab.socket.setsockopt(sockets.SOL_SOCKET, sockets.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
        tab.socket.close()  # reset, without a word
        wait_for(lambda: session.here == 0)
        session.tick()
        with page(server) as other:
            assert hear(other)[0]["type"] == "scene"
            assert hear(other, "frame")[0]["number"] == 1


def test_the_server_ends_under_the_page():
    with served() as server:
        tab = page(server)
        hear(tab)
    with pytest.raises(ConnectionClosed) as closed:
        tab.recv(timeout=10)
    assert closed.value.rcvd.code in (1001, 1012)


def test_allowance_fills_again():
    bucket = Allowance(rate=1000.0, burst=2.0)
    assert bucket.take() and bucket.take()
    taken = [bucket.take() for _ in range(5)]
    assert not all(taken)
    time.sleep(0.01)
    assert bucket.take()


def test_of_a_slider_only_the_last_position_waits_and_nothing_after_a_reset():
    watcher = Watcher.__new__(Watcher)
    watcher._asks, watcher._asked = deque(), asyncio.Event()
    for value in range(5):
        watcher._wait_for(parse_message(json.dumps({"set": "q", "joint": "crank", "value": value})))
        watcher._wait_for(parse_message(json.dumps({"set": "q", "joint": "rocker", "value": -value})))
        watcher._wait_for(parse_message(json.dumps({"ask": "series", "name": f"channel {value}"})))
    waiting = [(one.kind, one.fields.get("joint"), one.fields.get("value")) for one in watcher._asks]
    assert [one for one in waiting if one[0] == "set"] == [("set", "crank", [4.0]), ("set", "rocker", [-4.0])]
    assert sum(one[0] == "ask" for one in waiting) == 5
    watcher._wait_for(parse_message('{"do": "reset"}'))
    assert {one.kind for one in watcher._asks} == {"ask", "do"}
