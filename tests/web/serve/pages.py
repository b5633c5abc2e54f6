"""A small session, a server around it, and pages that talk to it without a browser."""

import json
from contextlib import contextmanager

import numpy as np
from websockets.sync.client import connect

from gori.web.packet import pack, unpack
from gori.web.serve.app import Server
from gori.web.serve.messages import MessageError
from gori.web.serve.session import Session


class Counting(Session):
    """Frames that hold their number; `set input` is kept, `do step` makes a frame."""

    def __init__(self):
        super().__init__()
        self.inputs, self.here = {}, 0

    def scene(self):
        return pack({"type": "scene", "name": "counting"}, {"x": np.arange(3, dtype="f4")})

    def grains(self, frame, most):
        if frame > 10:
            raise MessageError(f"there is no frame {frame}")
        return pack({"type": "grains", "frame": frame, "drawn": most}, {})

    def joined(self, watcher):
        self.here += 1
        return super().joined(watcher)

    def left(self, watcher):
        self.here -= 1

    def tick(self):
        self.number += 1
        self.changed()

    def frame(self, watcher):
        return self.number, pack({"type": "frame", "number": self.number}, {})

    def act(self, watcher, message):
        if message.kind == "set":
            self.inputs[message.fields["name"]] = message.fields["value"]
            return None
        if message.what == "step":
            self.tick()
            return None
        return super().act(watcher, message)


@contextmanager
def served(session=None, **options):
    with Server(session or Counting(), **options) as server:
        yield server


def page(server, **options):
    """A websocket as a page of this server opens it."""
    options = {"origin": f"http://127.0.0.1:{server.port}", "max_size": 2**27, "compression": None, **options}
    return connect(f"ws://127.0.0.1:{server.port}/socket", **options)


def say(socket, **message):
    socket.send(json.dumps(message))


def hear(socket, kind=None, timeout=10.0):
    """Head and arrays of the next packet, of a type if asked for."""
    for _ in range(1000):
        head, arrays = unpack(socket.recv(timeout=timeout))
        if kind is None or head["type"] == kind:
            return head, arrays
    raise AssertionError(f"no {kind} among a thousand packets")
