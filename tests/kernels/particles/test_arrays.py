"""Arrays of particles: what is declared is what is allocated, on both devices."""

import numpy as np
import pytest

from gori.kernels.particles import columns as c
from gori.kernels.particles.arrays import (
    ARRAYS,
    CPU,
    GPU,
    PROGRESS,
    SETTINGS,
    CudaArrays,
    ParticleArrays,
    depending_on,
    host_array,
    most_chunks,
    most_rows,
    rows_of_chunk,
    shape_of,
)

SIZES = {"n": 10, "bodies": 2, "neighbours": 4, "history": 8, "groups": 3, "tracked": 6, "cells": 512, "pairs": 4}


def test_bundles_follow_from_the_table():
    assert ParticleArrays._fields == tuple(CPU) and CudaArrays._fields == tuple(GPU)
    assert len({array.name for array in ARRAYS}) == len(ARRAYS)
    assert all(array.cpu or array.gpu for array in ARRAYS)


def test_shapes_are_sums_of_products():
    assert shape_of(CPU["sphere"], SIZES) == (2, 10, 4) and shape_of(GPU["sphere"], SIZES) == (80,)
    assert shape_of(GPU["other"], SIZES) == (2 * 4 * 10 + 80,)
    assert shape_of(CPU["history"], SIZES) == (18, 8) and shape_of(CPU["cell_start"], SIZES) == (513,)
    with pytest.raises(KeyError):
        shape_of(CPU["owner"], SIZES)


def test_which_arrays_grow_with_a_list():
    assert set(depending_on(GPU, "neighbours")) == {"other", "history"}
    assert set(depending_on(CPU, "kept_slots")) == {"kept", "kept_history"}
    assert "wall_history" in depending_on(CPU, "wall_slots") and "cell" not in depending_on(CPU, "wall_slots")


def test_arrays_on_the_host():
    motion = host_array(CPU["motion"], SIZES)
    assert motion.shape == (2, 10, 8) and motion.dtype == float and motion.ctypes.data % 64 == 0 and not motion.any()
    table = np.arange(48.0).reshape(4, 12)
    table.flags.writeable = False
    copy = host_array(GPU["pair_f"], SIZES, table)
    assert copy.dtype == np.float32 and copy.flags.writeable and np.array_equal(copy, table)
    assert host_array(CPU["wall_i"], SIZES, np.zeros((0, c.N_WALL_I), np.int32)).shape == (1, c.N_WALL_I)
    assert host_array(CPU["order"], SIZES | {"n": 0}, np.zeros(0)).shape == (0,)


def test_records_have_named_fields():
    settings, progress = SETTINGS.zeros(1), PROGRESS.zeros(1)
    settings["gravity"], settings["home"], progress["fresh"] = [0.0, 0.0, -9.81], -1, 1
    assert settings[0]["gravity"][2] == -9.81 and settings[0]["home"] == -1 and progress[0]["fresh"] == 1


@pytest.mark.parametrize("n", [0, 1, 8, 4095, 4097, 100_000])
def test_chunks_are_multiples_of_eight_and_even(n):
    rows = rows_of_chunk(n)
    assert rows % 8 == 0 and (n <= rows or -(-n // rows) % 2 == 0 or n < 16)


@pytest.mark.parametrize("n", [1, 100, 4096, 6143, 6144, 9000, 20_000])
def test_there_is_space_for_the_chunks_of_fewer_particles(n):
    """Particles go, and chunks are cut anew: not always smaller ones."""
    rows = [rows_of_chunk(m) for m in range(1, n + 1)]
    assert max(rows) == most_rows(n) and max(-(-m // k) for m, k in enumerate(rows, 1)) <= most_chunks(n)
