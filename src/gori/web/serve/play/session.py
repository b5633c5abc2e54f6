"""The playground over the server: each page has its own example and settings, and gets the motion anew when they
change.
"""

from typing import Any

from gori.errors import ClosureError, GoriError
from gori.web.film import Film
from gori.web.packet import pack, unpack
from gori.web.scene import Scene
from gori.web.serve.messages import MessageError, PageMessage
from gori.web.serve.play.example import Example
from gori.web.serve.play.planar import PLANAR
from gori.web.serve.play.spatial import SPATIAL
from gori.web.serve.session import Session, error_packet, notice_packet
from gori.web.serve.watchers import Watcher

EXAMPLES: dict[str, Example] = {example.name: example for example in (*PLANAR, *SPATIAL)}
MOST_POSES = 400
LEAST_SAMPLES = 5
KINDS = ("reaction",)
"""arrows that go with the motion"""


class PlaySession(Session):
    """Examples with sliders. A page that comes gets the first one.

    example   with which pages begin
    """

    page = "play"

    def __init__(self, example: str = "four-bar"):
        super().__init__()
        self.first = self._example(example)

    def _example(self, name: Any) -> Example:
        if not isinstance(name, str) or name not in EXAMPLES:
            raise MessageError(f"there is no example {name!r}; there are {', '.join(EXAMPLES)}")
        return EXAMPLES[name]

    def joined(self, watcher: Watcher) -> list[bytes]:
        """What it begins with."""
        watcher.memory |= {"example": self.first, "values": {}, "waiting": False}
        return self._packets(watcher)

    def scene(self) -> bytes:
        """Of the first example, for those that ask over HTTP."""
        return _made(self.first, self.first.values())[0][0]

    def _packets(self, watcher: Watcher) -> list[bytes]:
        """Scene, film and arrows of the settings of a page."""
        example: Example = watcher.memory["example"]
        try:
            values = example.values(watcher.memory["values"])
            packets, watcher.memory["film"] = _made(example, values)
            return packets
        except GoriError as error:
            return [error_packet(f"{example.title} cannot be built so: {error}")]

    def act_at_once(self, watcher: Watcher, message: PageMessage) -> bool:
        """Sliders: only the latest values count, and are computed once."""
        if message.kind == "set" and message.what == "parameter":
            example: Example = watcher.memory["example"]
            name = message.fields["name"]
            if name not in example.values():
                raise MessageError(f"{example.title} has no parameter {name!r}")
            watcher.memory["values"] = {**watcher.memory["values"], name: message.fields["value"]}
        elif message.kind == "do" and message.what == "example":
            watcher.memory |= {"example": self._example(message.fields["value"]), "values": {}}
        elif message.kind == "do" and message.what == "reset":
            watcher.memory["values"] = {}
        else:
            return False
        waiting, watcher.memory["waiting"] = watcher.memory["waiting"], True
        return waiting  # if it waits already, it will see these values

    def act(self, watcher: Watcher, message: PageMessage) -> bytes | list[bytes] | None:
        """The motion with the latest settings, or a channel of it."""
        if message.what in ("parameter", "example", "reset"):
            watcher.memory["waiting"] = False
            return self._packets(watcher)
        film: Film | None = watcher.memory.get("film")
        if message.kind != "ask" or film is None:
            return super().act(watcher, message)
        if message.what == "series":
            return film.series(message.fields["name"])
        if message.what == "arrows":
            return film.arrows(message.fields["kind"])
        return film.grains(message.fields["frame"], message.fields["most"])


def _made(example: Example, values: dict[str, float]) -> tuple[list[bytes], Film]:
    """Packets of an example with all its values, and the Film that they were made of."""
    notice = None
    try:
        recording = example.compute(values)
    except ClosureError as error:  # it cannot turn all the way round: what it can is shown
        if error.recording is None or len(error.recording) < LEAST_SAMPLES:
            raise
        recording = error.recording
        notice = f"it cannot turn all the way round: it locks after {recording.time[-1] - recording.time[0]:.3g} s"
    channels = [name for name in example.channels if name in recording]
    film = Film(recording, most_frames=MOST_POSES, title=example.title, channels=channels)
    inputs = [parameter.entry(values[parameter.name]) for parameter in example.parameters]
    scene = Scene(recording.model, "play", recording, title=example.title, inputs=inputs)
    head = scene.head()
    head["play"] = {
        "example": example.name, "about": example.about, "values": values, "own": example.values(),
        "trails": list(example.trails), "slow": example.slow,
        "examples": [{"name": x.name, "title": x.title} for x in EXAMPLES.values()],
    }  # fmt: skip
    film_head, arrays = unpack(film.packet())
    if example.trails:
        film_head["trails"] = list(example.trails)
    packets = [pack(head, scene.arrays), pack(film_head, arrays)]
    if recording.frames is not None:
        packets += [film.grains(k, 2000) for k in range(len(recording.frames))]
    else:
        packets += [film.arrows(kind) for kind in KINDS]
    if notice is not None:
        packets.append(notice_packet(notice))
    return packets, film
