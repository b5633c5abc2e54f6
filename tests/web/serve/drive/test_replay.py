"""Which ruts are shown."""

import numpy as np

from gori.web.serve.drive.replay import DriveReplay
from gori.web.serve.ruts import RutMap


def piece(cell, depth):
    return np.array([cell]), np.array([depth], np.float32)


def test_a_replay_shows_its_own_ruts_and_then_the_present_with_what_came_meanwhile():
    ruts = RutMap(5)
    replay = DriveReplay(ruts)
    assert replay.press(piece(1, 0.1)).tolist() == [1] and replay.press(None) is None
    start = ruts.depth.copy()
    replay.press(piece(2, 0.2))
    turn = replay.begin(start)
    assert turn == replay.turn == 1 and np.allclose(ruts.depth, [0, 0.1, 0, 0, 0])
    replay.show(piece(3, 0.3))
    replay.press(piece(4, 0.4))  # of the present
    assert np.allclose(ruts.depth, [0, 0.1, 0, 0.3, 0])
    memory = {}
    ruts.news(memory)
    again = replay.begin(start)  # once more, before it has ended
    assert again == 2 and np.allclose(ruts.depth, start) and ruts.news(memory)[2]
    replay.end()
    assert replay.turn == 0 and np.allclose(ruts.depth, [0, 0.1, 0.2, 0, 0.4])
    cells, _, fresh = ruts.news(memory)
    assert fresh and cells.tolist() == [1, 2, 4]
    replay.begin(start)
    replay.fresh()
    assert replay.turn == 0 and not ruts.depth.any()
    replay.end()
    assert not ruts.depth.any()


def test_hard_ground_has_none():
    replay = DriveReplay(None)
    assert replay.begin(None) == 1 and replay.press(piece(0, 1.0)) is None
    replay.show(piece(0, 1.0))
    replay.fresh()
    assert replay.turn == 0
