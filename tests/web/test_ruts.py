import numpy as np

from gori.model.vehicle.soil import rut_depths
from gori.web.ruts import LEAST, ruts_packet, tracks
from tests.web.machines import four_bar, truck
from tests.web.twin import decoded


def test_ruts_are_those_of_the_last_state():
    rec, state = truck()
    head, arrays = decoded(ruts_packet(rec, state))
    depths = rut_depths(rec.model.spec.terrain.soft, state.vehicle).ravel()
    assert head["exact"] and np.array_equal(arrays["cells"], np.flatnonzero(depths > LEAST))
    np.testing.assert_allclose(arrays["depth"], depths[arrays["cells"]], rtol=1e-6)
    # the truck drives along +x: what lies ahead of the front wheels was rolled over later
    nx = rec.model.vehicle.records.soil[0]["nx"]
    ahead = arrays["cells"] % nx
    late = arrays["since"] > 0.3
    assert late.any() and ahead[late].min() > ahead.min() + 20
    assert arrays["since"].max() <= rec.time[-1] + 1e-6 and ahead[arrays["since"] == 0.0].max() < ahead.max() - 20


def test_without_a_state_the_sinkage_leaves_tracks():
    rec, state = truck()
    head, arrays = decoded(ruts_packet(rec))
    depths = rut_depths(rec.model.spec.terrain.soft, state.vehicle).ravel()
    assert not head["exact"] and len(arrays["cells"]) > 100
    # most of what the soil remembers lies under these tracks, and is about as deep
    shared = np.intersect1d(arrays["cells"], np.flatnonzero(depths > LEAST))
    assert len(shared) > 0.9 * len(arrays["cells"])
    depth, since = tracks(rec)
    assert np.median(depth[shared]) < 2.0 * np.median(depths[shared]) < 8.0 * np.median(depth[shared])
    assert np.isinf(since[depth == 0.0]).all()


def test_hard_ground_has_none():
    assert ruts_packet(four_bar()) is None
