"""Terrain of a Spec as tables; fields out of functions, and rough roads."""

import numpy as np
import pytest

from gori.errors import InputError
from gori.model.vehicle.terrain import rough_road, sampled_field, terrain_tables
from gori.spec.vehicle.terrain import HeightField, Terrain


def test_tables_of_plain_ground():
    ground = terrain_tables(Terrain.model_validate({}))
    assert ground.terrain["friction"] == 0.8 and ground.terrain["nx"] == 0
    assert [len(part) for part in ground] == [1, 0, 0, 0, 0, 0, 0, 0]
    assert all(part.flags.c_contiguous for part in ground)


def test_field_out_of_a_function():
    field = sampled_field(lambda x, y: np.sin(x) * y, (-1, 1), (0, 2), 0.5)
    assert field.at == (-1.0, 0.0)
    assert np.array(field.heights).shape == (5, 5)
    assert field.heights[2][4] == pytest.approx(np.sin(1.0) * 1.0)
    assert np.array(sampled_field(lambda x, y: 0.1, (0, 1), (0, 1), 0.1).heights).shape == (11, 11)
    with pytest.raises(InputError, match="must return heights for arrays"):
        sampled_field(lambda x, y: np.zeros(3), (0, 1), (0, 1), 0.1)
    with pytest.raises(InputError, match="x must be a range"):
        sampled_field(lambda x, y: x, (1, 0), (0, 1), 0.1)


def test_rough_roads_refused():
    with pytest.raises(InputError, match="roughness 'Z' is not one of the classes A, B"):
        rough_road("Z", 10, 1)
    with pytest.raises(InputError, match="at least six cells"):
        rough_road("A", 0.2, 1)
    assert isinstance(rough_road("A", 10, 1), HeightField)


def test_rough_road_has_its_spectrum():
    """Variance of a class B road, within its random scatter: the integral of G over its wave numbers."""
    field = rough_road("B", 400.0, 3.0, cell=0.1, seed=3)
    heights = np.array(field.heights)
    assert heights.shape == (31, 4001) and field.cells() == (0.1, 0.1)
    assert (heights[:, 0] == 0.0).all()
    n = np.arange(1, 2000) / 400.0
    variance = np.sum(64e-6 * (n / 0.1) ** -2.0) / 400.0
    assert heights.var(axis=1) == pytest.approx(np.full(31, variance), rel=0.02), "every track has the whole spectrum"
    assert np.array(rough_road("C", 400.0, 3.0, seed=3).heights)[0] == pytest.approx(2 * heights[0])


def test_left_and_right_of_a_rough_road_have_the_coherence_of_an_isotropic_surface():
    """Over bands of wave lengths, from many seeds: 2 pi n b K1(2 pi n b); equal where the waves are long, independent
    where they are short. Both were equal at all wave lengths.
    """
    from scipy.special import k1

    length, b, bands = 200.0, 1.8, ((0.01, 0.03), (0.05, 0.08), (0.1, 0.15), (0.2, 0.4), (1.0, 4.0))
    cross, n = 0.0, None
    for seed in range(40):
        heights = np.array(rough_road("C", length, b, cell=0.1, seed=seed).heights)[:, :-1]
        left, right = np.fft.rfft(heights[0]), np.fft.rfft(heights[-1])
        n = np.arange(len(left)) / length
        cross = cross + left * right.conj() / np.maximum(1e-30, np.abs(left) * np.abs(right))
    cross = cross.real / 40
    for low, high in bands:
        band = (n >= low) & (n <= high)
        x = 2.0 * np.pi * n[band] * b
        assert cross[band].mean() == pytest.approx((x * k1(x)).mean(), abs=0.12), (low, high)
    same = np.array(rough_road("C", 50.0, b, equal=True).heights)
    assert same.shape[0] == 2 and (same[0] == same[1]).all()
