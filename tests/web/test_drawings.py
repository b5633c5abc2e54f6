import numpy as np
import pytest

from gori.errors import InputError
from gori.web.drawings import Drawings
from tests.web.twin import decoded


def some() -> Drawings:
    scene = Drawings()
    scene.points("hits", np.eye(3), colour="#00ff00", size=0.1)
    scene.lines("path", [[0, 0, 0], [1, 0, 0], [1, 1, 0]], closed=True)
    scene.arrows("wind", [[0, 0, 0]], [[0, 0, 2]], body="hand")
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]], [1, 2, 3]
    scene.frame("tool", T, 0.2)
    scene.text("note", "here", (0, 0, 1))
    scene.mesh("sheet", [[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    return scene


def test_all_kinds_come_in_a_packet():
    scene = some()
    head, arrays = decoded(scene.packet(("ground", "hand")))
    entries = {entry["name"]: entry for entry in head["drawings"]}
    kinds = {name: entry["type"] for name, entry in entries.items()}
    assert kinds == {
        "hits": "points",
        "path": "line",
        "wind": "arrows",
        "tool": "frame",
        "note": "text",
        "sheet": "mesh",
    }
    assert np.array_equal(arrays[entries["hits"]["points"]], np.eye(3)) and entries["hits"]["colour"] == "#00ff00"
    assert entries["wind"]["body"] == 1 and np.array_equal(arrays[entries["wind"]["heads"]], [[0, 0, 2]])
    np.testing.assert_allclose(entries["tool"]["quaternion"], [np.sqrt(0.5), 0, 0, np.sqrt(0.5)])
    assert entries["path"]["closed"] and entries["note"]["text"] == "here"
    assert arrays[entries["sheet"]["triangles"]].tolist() == [[0, 1, 2]] and len(scene) == 6


def test_pages_that_listen_hear_each_change():
    scene, heard = Drawings(), []
    end = scene.subscribe(lambda packet: heard.append(decoded(packet)[0]), ("ground",))
    scene.points("a", [[0, 0, 0]])
    scene.points("a", [[1, 1, 1]])
    scene.remove("a")
    assert [[entry["name"] for entry in head["drawings"]] for head in heard] == [["a"], ["a"], []]
    assert heard[-1]["removed"] == ["a"] and scene.names == ()
    end()
    scene.points("b", [[0, 0, 0]])
    assert len(heard) == 3
    scene.remove()
    assert len(scene) == 0


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        (lambda s: s.points("", [[0, 0, 0]]), "needs a name"),
        (lambda s: s.points("a", [[0, 0]]), "rows of x y z"),
        (lambda s: s.points("a", [[0, 0, np.nan]]), "finite"),
        (lambda s: s.points("a", [[0, 0, 0]], colour="red"), "'#rrggbb'"),
        (lambda s: s.points("a", [[0, 0, 0]], size=-1.0), "size must be a length"),
        (lambda s: s.lines("a", [[0, 0, 0]]), "2 to"),
        (lambda s: s.arrows("a", np.zeros((2, 3)), np.zeros((1, 3))), "as many heads as tails"),
        (lambda s: s.frame("a", np.ones((4, 4))), "a pose"),
        (lambda s: s.mesh("a", np.zeros((3, 3)), [[0, 1, 3]]), "from 0 to 2"),
        (lambda s: s.mesh("a", np.zeros((3, 3)), [[0.5, 1, 2]]), "whole numbers"),
        (lambda s: s.remove("b"), "no drawing 'b': there are none"),
    ],
)
def test_what_is_wrong_is_named(draw, words):
    with pytest.raises(InputError, match=words):
        draw(Drawings())


def test_a_body_that_is_not_there():
    with pytest.raises(InputError, match="'wind' is fixed to 'hand', which is not a body here"):
        some().packet(("ground",))
