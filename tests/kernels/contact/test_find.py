"""Points go on as the ones they were before, and what is kept changes only when that is asked for."""

import numpy as np

from gori.kernels.contact.find import keep_contacts, list_features, list_kept, on_face, same_kept, take_over
from gori.kernels.contact.memory import HEAD, POINT
from gori.kernels.contact.tables import FOUND
from tests.plain import Plain, plain, rows


def memory_of(ids):
    """Kept points with these (a, b, feature), and room for more."""
    head, point = HEAD.zeros(1), POINT.zeros(8)
    head["points"] = len(ids)
    for row, (a, b, feature) in zip(point, ids):
        row["a"], row["b"], row["feature"] = a, b, feature
        row["anchor_a"], row["force"], row["sticking"], row["speed"] = feature, 2 * feature, 1, 3 * feature
        row["orientation"], row["slip"], row["torque"], row["turn"] = 4 * feature, 5 * feature, feature, feature
    memory = Plain(
        head=rows(head), point=rows(point), near=rows(POINT.zeros(8)), count=np.zeros(2, int),
        newest=np.zeros(4, int), older=np.zeros(8, int),
    )  # fmt: skip
    plain(list_kept)(memory)
    return memory


def found_point(feature, gap):
    found = FOUND.zeros(1)
    found["feature"], found["gap"], found["position"], found["normal"] = feature, gap, 0.5, [0, 0, 1]
    return rows(found)[0]


IDS = [(0, 1, 5), (0, 2, 5), (1, 2, 7), (0, 1, 6)]


def test_points_are_found_by_their_id():
    memory = memory_of(IDS)
    assert [plain(same_kept)(memory, *one) for one in IDS] == [0, 1, 2, 3]
    assert plain(same_kept)(memory, 0, 1, 7) == plain(same_kept)(memory, 3, 1, 5) == -1


def test_a_point_takes_over_what_is_kept_of_it():
    memory = memory_of(IDS)
    point, fresh = memory.near[0], memory.near[1]
    plain(take_over)(point, memory, 0, 1, found_point(6, -1e-3), 1)
    plain(take_over)(fresh, memory, 0, 1, found_point(9, -2e-3), 0)
    assert (point["anchor_a"] == 6).all() and (point["force"] == 12).all() and (point["orientation"] == 24).all()
    assert (point["slip"] == 30).all() and (point["sticking"], point["speed"], point["gap"]) == (1, 18, -1e-3)
    assert (point["torque"] == 6).all() and (point["turn"] == 6).all() and not fresh["turn"].any()
    assert not fresh["anchor_a"].any() and (fresh["sticking"], fresh["speed"], fresh["gap"]) == (0, 0, -2e-3)


def test_features_of_a_pair():
    features = np.zeros(4, int)
    plain(list_features)(memory_of(IDS), 0, 1, features)
    assert features[0] == 2 and set(features[1:3]) == {5, 6}
    plain(list_features)(memory_of(IDS), 3, 1, features)
    assert features[0] == 0


def test_three_points_with_one_normal_are_a_face():
    found = FOUND.zeros(4)
    found["normal"], found["gap"] = [0, 0, 1], [0.0, -1e-6, 1e-6, 1.0]
    assert plain(on_face)(rows(found), 4, 1e-3) == 1
    assert plain(on_face)(rows(found), 2, 1e-3) == 0  # an edge
    found["normal"][1] = [0, 0.6, 0.8]
    assert plain(on_face)(rows(found), 4, 1e-3) == 0
    found["normal"], found["gap"] = [0, 0, 1], [1.0, 0.0, 0.0, 1.0]
    assert plain(on_face)(rows(found), 4, 1e-3) == 0  # two of them only near


def test_keeping():
    memory = memory_of(IDS)
    plain(take_over)(memory.near[0], memory, 0, 1, found_point(6, -1e-3), 1)
    kept = np.array(memory.point)
    memory.count[:] = 1, 17
    plain(keep_contacts)(memory, 0.25)
    assert not np.array_equal(kept[0], memory.point[0]) and memory.point[0]["feature"] == 6
    assert (memory.head[0]["points"], memory.head[0]["pairs"], memory.head[0]["deepest"]) == (1, 17, 1e-3)
    assert [memory.head[0][name] for name in ("deepest_time", "deepest_a", "deepest_b")] == [0.25, 0, 1]
