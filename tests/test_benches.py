"""Benchmarks that nothing else calls: their scenes are those of today's tables."""

from bench import broad_phase
from gori.kernels.contact.tables import PLANE, SHAPE


def test_the_pile_of_the_broad_phase():
    tables, body_w = broad_phase.pile(60)
    assert len(tables.shape) == len(body_w) == 61
    assert tables.shape.dtype == SHAPE.dtype
    assert tables.shape["kind"][0] == PLANE
    boxes, pairs, found = broad_phase.measure(60)
    assert boxes > 0.0 and pairs > 0.0
    assert 60 < found < 60 * 20  # each body has neighbours
