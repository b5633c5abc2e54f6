"""What pushed in one look of a step is still there in the next."""

import numpy as np

from gori.kernels.codes import CONTACTS_FULL, OK
from gori.kernels.contact.memory import HEAD, POINT, ROWS
from gori.kernels.contact.pushed import is_near, keep_pushed, list_near
from tests.plain import Plain, plain, rows


def memory_of(kept, near, room=6):
    """Kept points (a, b, feature, impulse), and the (a, b, feature) of those that are near."""
    head, point, solved, found = HEAD.zeros(1), POINT.zeros(room), ROWS.zeros(room), POINT.zeros(room)
    head["points"] = len(kept)
    for k, (a, b, feature, impulse) in enumerate(kept):
        point[k]["a"], point[k]["b"], point[k]["feature"], point[k]["gap"] = a, b, feature, 0.125
        solved[k]["impulse"][0] = impulse
    for k, (a, b, feature) in enumerate(near):
        found[k]["a"], found[k]["b"], found[k]["feature"] = a, b, feature
    return Plain(
        head=rows(head), point=rows(point), near=rows(found), rows=rows(solved), count=np.array([len(near), 0]),
        newest=np.zeros(4, int), older=np.zeros(room, int),
    )  # fmt: skip


KEPT = [(0, 1, 5, 2.0), (0, 1, 6, 2.0), (1, 2, 5, 0.0), (0, 2, 5, 1.0)]
NEAR = [(0, 1, 6), (0, 3, 5), (2, 3, 7)]


def test_near_points_are_known_by_their_id():
    memory = memory_of(KEPT, NEAR)
    plain(list_near)(memory)
    assert [plain(is_near)(memory, memory.point[k]) for k in range(4)] == [False, True, False, False]


def test_points_that_push_stay_and_others_do_not():
    memory = memory_of(KEPT, NEAR)
    assert plain(keep_pushed)(memory) == OK
    ids = [(p["a"], p["b"], p["feature"]) for p in memory.near[: memory.count[0]]]
    assert ids == [*NEAR, (0, 1, 5), (0, 2, 5)] and memory.near[3]["gap"] == 0.125
    assert plain(keep_pushed)(memory) == OK and memory.count[0] == 5  # each once


def test_no_room_is_told():
    assert plain(keep_pushed)(memory_of(KEPT, NEAR, room=4)) == CONTACTS_FULL
