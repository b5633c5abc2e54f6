"""Start packings: all grains inside, none overlapping, all by their seed; and what does not fit is told."""

import math
import tracemalloc

import numpy as np
import pytest

from gori.errors import InputError
from gori.model.particles.container import container_of
from gori.model.particles.packing import check_beside, check_overlaps, draw_radii, near_pairs, poured, random, regular
from gori.spec.body import Body

BOX = {"type": "box", "size": [0.5, 0.3, 0.2]}
DRUM = {"type": "cylinder", "radius": 0.2, "length": 0.4, "axis": [0, 0, 1]}
HOPPER = {"type": "cone", "radius": 0.1, "top_radius": 0.3, "length": 0.4, "axis": [0, 0, 1]}
BALL = {"type": "sphere", "radius": 0.2}
PILL = {"type": "capsule", "radius": 0.15, "length": 0.3, "axis": [0, 0, 1]}
PACKINGS = {"regular": regular, "random": random, "poured": poured}


def shape(data, **more):
    return Body(shapes={"s": data | {"hollow": True, "material": "steel"} | more}).shapes["s"]


def inside(data, **more):
    return container_of(shape(data, **more), "the bin")


def gaps(points, radii):
    """Smallest distance of surfaces, by brute force."""
    d = np.linalg.norm(points[:, None] - points[None], axis=-1) - radii[:, None] - radii[None]
    return d[np.triu_indices(len(points), 1)].min()


@pytest.mark.parametrize("data", [BOX, DRUM, HOPPER, BALL, PILL], ids=lambda data: data["type"])
@pytest.mark.parametrize("packing", PACKINGS)
def test_inside_and_apart(packing, data):
    container = inside(data)
    radii = draw_radii((0.012, 0.02), 120, np.random.default_rng(1))
    points = PACKINGS[packing](container, radii, np.random.default_rng(2))
    assert points.shape == (120, 3)
    assert (container.clearance(points) >= radii - 1e-12).all()
    assert gaps(points, radii) >= 0.0
    again = PACKINGS[packing](container, radii, np.random.default_rng(2))
    other = PACKINGS[packing](container, radii, np.random.default_rng(3))
    assert (points == again).all() and not (points == other).all()


def test_regular_is_a_cubic_grid():
    container = inside(BOX)
    radii = np.full(300, 0.01)
    points = regular(container, radii, np.random.default_rng(0), spacing=0.025)
    # 0.5 x 0.3 m take 20 x 12 grains of that spacing in a layer: so the second layer is begun
    heights = np.round((points[:, 2] + 0.1 - 0.01) / 0.025)
    assert (heights == 0).sum() == 240 and (heights == 1).sum() == 60
    nearest = np.sort(np.linalg.norm(points[:240, None] - points[None, :240], axis=-1), axis=1)[:, 1]
    assert abs(nearest - 0.025).max() < 2e-4
    assert abs(nearest - 0.025).max() > 1e-6  # each stands a little off
    cube = inside({"type": "box", "size": [0.2, 0.2, 0.2]})
    assert regular(cube, np.full(1000, 0.01), np.random.default_rng(0), 0.02).shape == (1000, 3)
    with pytest.raises(
        InputError, match=r"1001 particles do not fit into the bin: 1000 fit in a regular packing of spac"
    ):
        regular(cube, np.full(1001, 0.01), np.random.default_rng(0), 0.02)


@pytest.mark.parametrize(("data", "face"), [(BOX, "z+"), (DRUM, "top"), (HOPPER, "top")])
def test_a_cloud_rises_above_an_open_shape(data, face):
    container = inside(data, open=[face])
    radii = draw_radii((0.015, 0.02), 900, np.random.default_rng(1))
    points = poured(container, radii, np.random.default_rng(2))
    top = container.high[2]
    assert points[:, 2].max() > top + 0.05 and points[:, 2].min() < container.low[2] + 0.05
    assert (container.clearance(points, lid=False) >= radii - 1e-12).all()
    assert gaps(points, radii) > 0.0
    more = poured(container, radii, np.random.default_rng(3), floor=(points[:, 2] + radii).max())
    assert gaps(np.concatenate([points, more]), np.concatenate([radii, radii])) > 0.0
    with pytest.raises(InputError, match=r"900 particles do not fit into the bin: .* fit in a regular packing"):
        regular(container, radii, np.random.default_rng(0))


def test_a_cloud_in_a_closed_box_is_as_dense_as_it_must_be():
    """The example of the format, smaller: 48 % of the box, which no loose cloud can be."""
    container = inside({"type": "box", "size": [0.25, 0.15, 0.15]})
    radii = draw_radii((0.008, 0.012), 625, np.random.default_rng(1))
    assert 4 / 3 * math.pi * (radii**3).sum() / container.volume > 0.47
    points = poured(container, radii, np.random.default_rng(1))
    assert gaps(points, radii) >= 0.0 and (container.clearance(points) >= radii).all()
    with pytest.raises(InputError, match=r"\d+ fit in a loose packing of spacing 0.03 m"):
        poured(container, radii, np.random.default_rng(1), spacing=0.03)


@pytest.mark.parametrize("packing", [regular, poured])
def test_a_few_particles_in_a_large_bin_take_little_memory(packing):
    """1000 particles of 3 mm in 4 m3, which has room for 18 million: only the lowest layer is built."""
    container = inside({"type": "box", "size": [2.0, 2.0, 1.0]}, open=["z+"])
    radii = np.full(1000, 0.003)
    tracemalloc.start()
    try:
        points = packing(container, radii, np.random.default_rng(0))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 200e6
    assert (points[:, 2] < container.low[2] + 2 * 0.003).all()
    assert np.ptp(points[:, 0]) > 1.8 and np.ptp(points[:, 1]) > 1.8  # all over the floor
    assert (container.clearance(points) >= radii - 1e-12).all() and gaps(points, radii) >= 0.0


@pytest.mark.parametrize("block", [7, 240, 1000])
def test_blocks_of_sites_make_no_difference_to_where_particles_are(monkeypatch, block):
    """Full layers from below, the last one begun: as many in each, however sites are looked at."""
    monkeypatch.setattr("gori.model.particles.packing.BLOCK", block)
    container = inside(BOX)
    points = regular(container, np.full(300, 0.01), np.random.default_rng(0), spacing=0.025)
    heights = np.round((points[:, 2] + 0.1 - 0.01) / 0.025)
    assert (heights == 0).sum() == 240 and (heights == 1).sum() == 60
    sites = np.unique(np.round(points / 0.0125), axis=0)
    assert len(sites) == 300
    cube = inside({"type": "box", "size": [0.2, 0.2, 0.2]})
    with pytest.raises(InputError, match="1000 fit in a regular packing"):
        regular(cube, np.full(1001, 0.01), np.random.default_rng(0), 0.02)


def test_what_cannot_be_is_refused():
    container = inside(BOX)
    with pytest.raises(
        InputError, match=r"100000 particles do not fit into the bin: they are \d+% of its volume; about"
    ):
        random(container, np.full(100_000, 0.01), np.random.default_rng(0))
    flat = inside({"type": "box", "size": [1, 1, 0.01]})
    for packing, words in (
        (regular, "0 fit"),
        (random, "wider than the container"),
        (poured, "wider than the container"),
    ):
        with pytest.raises(InputError, match=words):
            packing(flat, np.full(3, 0.02), np.random.default_rng(0))


def test_radii():
    rng = np.random.default_rng(0)
    assert (draw_radii(0.1, 5, rng) == 0.1).all()
    drawn = draw_radii((0.1, 0.2), 20_000, rng)
    assert drawn.min() >= 0.1 and drawn.max() <= 0.2 and drawn.mean() == pytest.approx(0.15, abs=1e-3)
    assert np.histogram(drawn, 10)[0] == pytest.approx(np.full(10, 2000), rel=0.1)
    mixed = draw_radii(((0.1, 1.0), (0.2, 2.0), (0.3, 4.0)), 10, rng)
    assert [int((mixed == r).sum()) for r in (0.1, 0.2, 0.3)] == [1, 3, 6]
    assert (np.sort(draw_radii(((0.1, 1.0), (0.2, 1.0)), 3, rng)) == [0.1, 0.1, 0.2]).all()


def test_pairs_of_all_sizes():
    rng = np.random.default_rng(0)
    points, radii = rng.uniform(0, 1, (400, 3)), 10.0 ** rng.uniform(-3, -1, 400)
    i, j = near_pairs(points, radii, 0.01)
    d = np.linalg.norm(points[:, None] - points[None], axis=-1) - radii[:, None] - radii[None]
    expected = np.argwhere(np.triu(d < 0.01, 1))
    assert (np.stack([i, j], axis=1) == expected).all()


def test_overlaps_are_named():
    place = np.array([[0, 0, 0, 0.01], [0.0199, 0, 0, 0.01], [1, 0, 0, 0.02], [1.02, 0, 0, 0.01]])
    check_overlaps(place[:3])  # 1 % may be that of a settled bed
    with pytest.raises(InputError) as caught:
        check_overlaps(place, names=("fine", "coarse"), group=np.array([0, 0, 1, 0]))
    words = "2 of 'coarse' at 1, 0, 0 and 3 of 'fine' at 1.02, 0, 0, by 0.01 m, which is 100% of the smaller radius"
    assert words in str(caught.value)
    with pytest.raises(InputError, match="2 pairs overlap by more than 0%"):
        check_overlaps(place, allowed=0.001)
    check_overlaps(place[:1])
    check_overlaps(place, np.array([0.05, 0.05, 0.05, 1.0]))  # of two particles the larger limit counts
    with pytest.raises(InputError, match=r"raise `max_overlap` \(here 0.2\)"):
        check_overlaps(place, np.array([0.05, 0.05, 0.2, 0.1]))


def test_new_particles_beside_others():
    old, new = np.array([[0, 0, 0, 0.02], [1, 0, 0, 0.01]]), np.array([[0.5, 0, 0, 0.01], [1.0, 0, 0.015, 0.01]])
    check_beside(new[:1], old)
    check_beside(new, old[:0])
    check_beside(new, old, 0.6)
    words = (
        r"new particle 1 at 1, 0, 0.015 overlaps particle 9 at 1, 0, 0 by 0.005 m, which is 50% of the smaller radius"
    )
    with pytest.raises(InputError, match=words):
        check_beside(new, old, ids=np.array([4, 9]))


@pytest.mark.parametrize("shape", ["box", "cylinder"])
def test_a_poured_mixture_is_no_tower(shape):
    """A few large ones among many small ones: it stood 25 m high above a bin of 0.4 m."""
    size = {"size": [0.25, 0.25, 0.4]} if shape == "box" else {"radius": 0.125, "length": 0.4}
    open_ = ["z+" if shape == "box" else "top"]
    body = Body.model_validate(
        {"shapes": {"s": {"type": shape, "hollow": True, "open": open_, "material": "a", **size}}}
    )
    container = container_of(body.shapes["s"], "bin")
    radii = draw_radii(((0.007, 2990.0), (0.035, 10.0)), 3000, np.random.default_rng(1))
    points = poured(container, radii, np.random.default_rng(1))
    assert (points[:, 2] - container.low[2]).max() < 0.8
    check_overlaps(np.column_stack([points, radii]), 0.0)
    assert (container.clearance(points, lid=False) >= radii - 1e-12).all()
    large = points[radii > 0.02, 2]
    assert np.ptp(large) > 0.1, "mixed, not in layers"
    np.testing.assert_array_equal(points, poured(container, radii, np.random.default_rng(1)))
