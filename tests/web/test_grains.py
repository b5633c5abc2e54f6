import numpy as np
import pytest

from gori.record import ParticleFrame
from gori.web.grains import coarse, colour_limits, grains_packet, grains_part, thinned
from tests.web.machines import shaken
from tests.web.twin import decoded


def frame_of(count, seed=0):
    rng = np.random.default_rng(seed)
    spheres = np.column_stack([rng.uniform(-3.0, 5.0, (count, 3)), rng.uniform(0.01, 0.02, count)])
    motion = np.zeros((count, 8))
    motion[:, 0], motion[:, 3] = np.linspace(0.0, 2.0, count), 1.0
    return ParticleFrame.of(spheres, motion, time=1.5)


def test_positions_come_back_to_a_part_in_65535_of_their_box():
    frame = frame_of(1000)
    head, arrays = decoded(grains_packet(frame, 7))
    low, high = np.array(head["low"]), np.array(head["high"])
    found = low + arrays["position"] / 65535.0 * (high - low)
    assert np.abs(found - frame.position).max() <= 0.51 * (high - low).max() / 65535.0
    np.testing.assert_allclose(arrays["radius"], frame.radius, rtol=5e-4)
    assert (head["frame"], head["time"], head["drawn"], head["count"]) == (7, 1.5, 1000, 1000)
    assert head["legend"] == {"name": "speed", "unit": "m/s", "low": 0.0, "high": 2.0}
    assert arrays["value"][0] == 0 and arrays["value"][-1] == 255


def test_the_same_grains_stay_drawn():
    ids = np.arange(10_000)
    few = thinned(ids, 500)
    assert len(few) == 500 and (np.diff(few) > 0).all()
    assert set(thinned(ids[::-1], 500)) == {9999 - k for k in few}  # by id, not by place
    # spread evenly over the ids, as a comb would be
    assert np.abs(np.histogram(few, 10, (0, 10_000))[0] - 50).max() < 15
    assert len(set(few) & set(thinned(ids, 200))) == 200  # fewer are some of these
    assert len(thinned(ids, 0)) == 0 and len(thinned(ids, 20_000)) == 10_000


def test_grains_that_are_lost_are_left_out_and_none_is_a_packet_too():
    frame = frame_of(10)
    frame.position[3] = np.nan
    head, _ = decoded(grains_packet(frame))
    assert head["drawn"] == 9 and head["count"] == 10
    empty, none = grains_part(np.zeros(0, int), np.zeros((0, 3)), np.zeros(0), np.zeros(0), 100)
    assert empty["drawn"] == 0 and none["position"].shape == (0, 3)


def test_one_radius_is_one_number():
    head, _ = grains_part(np.arange(3), np.zeros((3, 3)), np.full(3, 0.25), np.zeros(3), 100)
    assert head["radius"] == 0.25


def test_one_scale_of_colours_for_all_frames(tmp_path):
    rec = shaken(tmp_path / "f.h5")
    assert colour_limits(rec.frames) == (0.0, pytest.approx(1.1))
    assert colour_limits([]) == (0.0, 255.0)


def test_coarse_numbers_are_near_and_end_in_zeros():
    values = np.random.default_rng(1).uniform(1e-3, 1e3, 1000)
    few = coarse(values)
    np.testing.assert_allclose(few, values, rtol=5e-4)
    assert (few.view(np.uint32) & 0xFFF == 0).all()
